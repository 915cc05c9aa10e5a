import matplotlib.pyplot as plt
import numpy as np


def frequency(column, d, base):
    return 1.0 / (base ** ((column - column % 2) / d))


def sinusoid(n, d, base=10000.0):
    pe = np.fromfunction(lambda i, c: i * frequency(c, d, base) + (c % 2) * np.pi / 2, (n, d))
    return np.sin(pe).astype(np.float32)


def similarity(pe):
    pe = np.asarray(pe, dtype=float) / np.sqrt(np.shape(pe)[1])
    return pe.dot(pe.transpose())


def plot_positions(pe):
    plt.close("all")
    fig, axes = plt.subplots(1, 1, figsize=(6, 8))
    drawn = axes.pcolor(np.array(pe), cmap="plasma")
    axes.invert_yaxis()
    axes.set_title("Vectors")
    axes.set_xlabel("Dimension of the embedding")
    axes.set_ylabel("Position of the token")
    fig.colorbar(drawn)
    return fig
