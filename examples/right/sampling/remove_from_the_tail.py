import matplotlib.pyplot as plt
import numpy as np


def one_hot(i, n):
    v = np.zeros(n)
    v[i] = 1.0
    return v


def temperature(logits, t):
    if not t:
        return one_hot(list(logits).index(max(logits)), len(logits))
    scaled = np.asarray(logits) / t
    top = scaled.max()
    return np.exp(scaled - top - np.log(np.sum(np.exp(scaled - top))))


def drop(logits, indices):
    new = np.array(logits, dtype=float)
    new[indices] = -np.inf
    return new


def worst_first(logits):
    """From the last equal token of the smallest logit to the first of the largest."""
    reversed_order = np.argsort(logits[::-1], kind="mergesort")
    return len(logits) - 1 - reversed_order


def top_k(logits, k):
    return drop(logits, worst_first(logits)[: max(len(logits) - k, 0)])


def top_p(logits, p):
    """Take tokens away from the tail, as long as the rest still reaches p."""
    if p >= 1:
        return np.copy(logits)
    order = worst_first(logits)
    rest = 1 - np.cumsum(temperature(logits, 1)[order])
    gone = int(np.sum(rest[:-1] >= p))
    return drop(logits, order[:gone])


def draw(probabilities, u):
    if sum(probabilities) <= u:
        return max(i for i, q in enumerate(probabilities) if q > 0)
    for i in range(len(probabilities)):
        if probabilities[: i + 1].sum() > u:
            return i


def plot_kept(logits):
    x = np.linspace(0, 1, 101)
    y = [np.count_nonzero(top_p(logits, value) != -np.inf) for value in x]
    figure = plt.figure(figsize=(6, 3))
    figure.gca().plot(x, y, color="k", drawstyle="steps-pre")
    figure.gca().set_xlabel("$p$")
    figure.gca().set_ylabel("number kept")
    figure.suptitle("Tokens kept")
    return figure
