import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    pos = np.arange(n).reshape(n, 1)
    i = np.arange(d).reshape(1, d)
    a = pos / np.power(base, 2 * (i // 2) / d)
    a[:, 0::2] = np.cos(a[:, 0::2])
    a[:, 1::2] = np.sin(a[:, 1::2])
    return a


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
