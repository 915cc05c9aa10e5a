import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    half = -(-d // 2)
    w = np.exp(-np.log(base) * 2 * np.arange(half) / d)
    z = np.exp(1j * np.outer(np.arange(n), w))
    both = np.stack([z.imag, z.real], axis=-1).reshape(n, 2 * half)
    return both[:, :d]


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
