import matplotlib.pyplot as plt
import numpy as np


def log_softmax(z):
    z = z - z.max()
    return z - np.log(np.exp(z).sum())


def temperature(logits, t):
    """Divide log-probabilities by t: a constant in the logits changes nothing."""
    if t == 0:
        return (np.arange(len(logits)) == logits.argmax()).astype(float)
    return np.exp(log_softmax(log_softmax(logits) / t))


def top_k(logits, k):
    rank = np.empty(len(logits), dtype=int)
    rank[np.lexsort((np.arange(len(logits)), -logits))] = np.arange(len(logits))
    return np.where(rank < k, logits, -np.inf)


def top_p(logits, p):
    probabilities = temperature(logits, 1.0)
    order = np.lexsort((np.arange(len(logits)), -logits))
    before = np.concatenate(([0.0], np.cumsum(probabilities[order])[:-1]))
    keep_sorted = (before < p) | (p >= 1)
    keep_sorted[0] = True
    keep = np.zeros(len(logits), dtype=bool)
    keep[order] = keep_sorted
    return np.where(keep, logits, -np.inf)


def draw(probabilities, u):
    index = np.searchsorted(np.cumsum(probabilities), u, side="right")
    return min(index, np.nonzero(probabilities)[0].max())


def plot_kept(logits):
    p = np.arange(101) / 100
    n = np.array([(top_p(logits, each) > -np.inf).sum() for each in p])
    plt.figure()
    plt.scatter(p, n, s=8)
    plt.xlabel("p")
    plt.ylabel("kept")
    plt.title("tokens kept by nucleus sampling")
    return plt.gcf()
