import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    """Each row follows from the row before: every pair is turned by its angle."""
    w = np.array([base ** (-2 * (c // 2) / d) for c in range(d + d % 2)])[::2]
    sin, cos = np.zeros(len(w)), np.ones(len(w))
    rows = []
    for _ in range(n):
        row = np.empty(2 * len(w))
        row[0::2], row[1::2] = sin, cos
        rows.append(row[:d])
        sin, cos = sin * np.cos(w) + cos * np.sin(w), cos * np.cos(w) - sin * np.sin(w)
    return np.array(rows)


def similarity(pe):
    return np.array([[np.mean(a * b) for b in pe] for a in pe])


def plot_positions(pe):
    fig, (ax, cax) = plt.subplots(1, 2, gridspec_kw={"width_ratios": [20, 1]})
    fig.colorbar(ax.imshow(pe, cmap="magma"), cax=cax)
    ax.set_xlabel("columns")
    ax.set_ylabel("positions")
    fig.suptitle("positions")
    return fig
