# mistake: each column has a frequency of its own (exponent −c/d for column c), so a pair does not share one
import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    pos = np.arange(n).reshape(n, 1)
    c = np.arange(d).reshape(1, d)
    a = pos * base ** (-c / d)
    return np.where(c % 2 == 0, np.sin(a), np.cos(a))


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
