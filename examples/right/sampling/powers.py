import numpy as np
from matplotlib.figure import Figure


def temperature(logits, t):
    """Raise the odds against the likeliest token to the power 1/t."""
    first = int(np.argmax(logits))
    if t < 1e-6:
        out = np.zeros(logits.shape)
        out[first] = 1
        return out
    odds = np.exp(np.maximum((logits - logits[first]) / t, -745.0)) * (logits > -np.inf)
    return odds / np.sum(odds)


def top_k(logits, k):
    left = logits.copy()
    result = np.full(logits.shape, -np.inf)
    for _ in range(min(k, len(logits))):
        i = np.argmax(left)
        result[i] = logits[i]
        left[i] = -np.inf
    return result


def top_p(logits, p):
    if p >= 1.0:
        return 1.0 * logits
    weights = np.exp(logits - max(logits))
    weights /= weights.sum()
    low, high = 1, len(logits)  # the smallest number of tokens whose sum reaches p
    ordered = np.sort(weights)[::-1]
    while low < high:
        middle = (low + high) // 2
        if ordered[:middle].sum() >= p:
            high = middle
        else:
            low = middle + 1
    return top_k(logits, low)


def draw(probabilities, u):
    possible = [i for i in range(len(probabilities)) if probabilities[i] > 0]
    upper = np.cumsum(probabilities)[possible]
    chosen = np.count_nonzero(upper <= u)
    return possible[min(chosen, len(possible) - 1)]


def plot_kept(logits):
    fig = Figure()
    ax = fig.subplots()
    steps = np.round(np.linspace(0.0, 1.0, 101), 2)
    ax.step(steps, [len(logits) - np.isneginf(top_p(logits, s)).sum() for s in steps], where="post")
    ax.axhline(len(logits), linestyle=":")
    ax.set(xlabel="probability p to be reached", ylabel="tokens that stay")
    fig.suptitle("top-p")
    return fig
