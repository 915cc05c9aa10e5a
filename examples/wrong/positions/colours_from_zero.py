# mistake: all negative values have the same colour
import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    pe = np.zeros((n, d))
    position = np.arange(n)[:, None]
    freq = base ** (-np.arange(0, d, 2) / d)
    pe[:, 0::2] = np.sin(position * freq)
    pe[:, 1::2] = np.cos(position * freq[: d // 2])
    return pe


def similarity(pe):
    return pe @ pe.T / pe.shape[1]


def plot_positions(pe):
    fig, ax = plt.subplots(figsize=(8, 5))
    image = ax.imshow(pe, aspect="auto", vmin=0)
    ax.set_xlabel("column")
    ax.set_ylabel("position")
    ax.set_title("Positional encoding")
    fig.colorbar(image)
    return fig
