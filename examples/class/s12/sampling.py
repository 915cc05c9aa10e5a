import matplotlib.pyplot as plt
import numpy as np


def temperature(logits, t):
    if t == 0:
        p = np.zeros(len(logits))
        p[np.argmax(logits)] = 1.0
        return p
    z = (logits - np.max(logits)) / t
    e = np.exp(z)
    return e / e.sum()


def top_k(logits, k):
    order = np.argsort(-logits, kind="stable")
    kept = np.full(len(logits), -np.inf)
    kept[order[: k + 1]] = logits[order[: k + 1]]
    return kept


def top_p(logits, p):
    if p >= 1:
        return logits.copy()
    probabilities = temperature(logits, 1)
    order = np.argsort(-probabilities, kind="stable")
    total = np.cumsum(probabilities[order])
    count = int(np.sum(total < p)) + 1
    kept = np.full(len(logits), -np.inf)
    kept[order[:count]] = logits[order[:count]]
    return kept


def draw(probabilities, u):
    larger = np.flatnonzero(np.cumsum(probabilities) > u)
    if len(larger):
        return int(larger[0])
    return len(probabilities) - 1


def plot_kept(logits):
    ps = np.arange(101) / 100
    counts = [int(np.sum(np.isfinite(top_p(logits, p)))) for p in ps]
    fig, ax = plt.subplots()
    ax.plot(ps, counts)
    ax.set_xlabel("p")
    ax.set_ylabel("tokens kept")
    ax.set_title("Tokens kept by top-p")
    return fig
