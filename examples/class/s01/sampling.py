import matplotlib.pyplot as plt
import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z))
    return e / np.sum(e)


def temperature(logits, t):
    return softmax(np.where(np.arange(len(logits)) == np.argmax(logits), 0, -np.inf)) if t == 0 else softmax(logits / t)


def top_k(logits, k):
    k = min(k, len(logits))
    border = np.sort(logits)[-k]
    above = logits > border
    equal = np.flatnonzero(logits == border)[: k - above.sum()]
    mask = above.copy()
    mask[equal] = True
    return np.where(mask, logits, -np.inf)


def top_p(logits, p):
    sizes = np.arange(1, len(logits) + 1)
    reached = [softmax(logits)[top_k(logits, k) > -np.inf].sum() >= p for k in sizes] if p < 1 else [False]
    return top_k(logits, sizes[int(np.argmax(reached))]) if any(reached) else logits + 0


def draw(probabilities, u):
    sums = np.add.accumulate(probabilities)
    candidates = [i for i in range(len(sums)) if sums[i] > u]
    if candidates:
        return candidates[0]
    return len(probabilities) - 1 - int(np.argmax(probabilities[::-1] > 0))


def plot_kept(logits):
    fig, (ax) = plt.subplots(1, 1)
    xs = [n * 0.01 for n in range(101)]
    ax.plot(xs, [int((top_p(logits, round(x, 2)) != float("-inf")).sum()) for x in xs], ".")
    ax.set_xlabel("p")
    ax.set_ylabel("count")
    ax.set_title("kept tokens")
    ax.legend(["tokens"])
    return fig
