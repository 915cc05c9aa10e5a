# mistake: sinusoid ignores base and takes 10000; plot_positions has no colour bar
import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    pe = np.zeros((n, d))
    position = np.arange(n)[:, None]
    freq = 10000.0 ** (-np.arange(0, d, 2) / d)
    pe[:, 0::2] = np.sin(position * freq)
    pe[:, 1::2] = np.cos(position * freq[: d // 2])
    return pe


def similarity(pe):
    return pe @ pe.T / pe.shape[1]


def plot_positions(pe):
    fig, ax = plt.subplots(figsize=(8, 5))
    ax.imshow(pe, aspect="auto")
    ax.set_xlabel("column")
    ax.set_ylabel("position")
    ax.set_title("Positional encoding")
    return fig
