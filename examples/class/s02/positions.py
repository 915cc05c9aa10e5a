import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    pe = np.zeros((n, d))
    pairs = (d + 1) // 2
    for i in range(n):
        for j in range(pairs):
            w = base ** (-j / d)
            pe[i, 2 * j] = np.sin(i * w)
            if 2 * j + 1 < d:
                pe[i, 2 * j + 1] = np.cos(i * w)
    return pe


def similarity(pe):
    return pe @ pe.T / pe.shape[1]


def plot_positions(pe):
    fig, ax = plt.subplots(figsize=(8, 5))
    image = ax.imshow(pe, aspect="auto")
    ax.set_xlabel("column")
    ax.set_ylabel("position")
    ax.set_title("Positional encoding")
    fig.colorbar(image)
    return fig
