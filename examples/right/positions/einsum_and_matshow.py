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
    return np.einsum("ic,kc->ik", pe, pe) / np.shape(pe)[-1]


def plot_positions(pe):
    fig, ax = plt.subplots()
    shown = ax.matshow(np.asarray(pe), origin="lower", aspect="auto", vmin=-1, vmax=1)
    ax.xaxis.set_ticks_position("bottom")
    ax.set_xlabel("feature of the vector")
    ax.set_ylabel("token position")
    fig.suptitle("Where each token is")
    fig.colorbar(shown)
    return fig
