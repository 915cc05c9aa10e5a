from matplotlib.figure import Figure
import numpy as np


def sinusoid(n, d, base=10000.0):
    pairs = (d + 1) // 2
    per_step = np.exp(1j * np.power(float(base), -2.0 * np.arange(pairs) / d))
    turns = per_step ** np.arange(n).reshape(-1, 1)
    return np.stack([turns.imag, turns.real], axis=-1).reshape(n, 2 * pairs)[:, :d]


def similarity(pe):
    return np.inner(pe, pe) / np.size(pe, 1)


def plot_positions(pe):
    figure = Figure(figsize=(5, 5))
    left = figure.subplots()
    picture = left.matshow(pe, cmap="viridis")
    figure.colorbar(picture, ax=left, location="bottom")
    figure.suptitle("Where is a token?")
    left.set_xlabel("c")
    left.set_ylabel("i")
    return figure
