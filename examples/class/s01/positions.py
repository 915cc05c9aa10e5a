import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    exponents = np.repeat(np.arange((d + 1) // 2), 2)[:d] * 2 / d
    angles = np.outer(np.arange(n), 1 / np.power(base, exponents))
    result = angles.copy()
    result[:, ::2] = np.sin(angles[:, ::2])
    result[:, 1::2] = np.cos(angles[:, 1::2])
    return result


def similarity(pe):
    return (pe[:, None, :] * pe[None, :, :]).mean(axis=-1)


def plot_positions(pe):
    n, d = pe.shape
    fig = plt.figure()
    ax = fig.add_axes([0.1, 0.1, 0.7, 0.75])
    im = ax.imshow(pe, vmin=pe.min(), vmax=pe.max(), cmap="coolwarm", extent=[-0.5, d - 0.5, -0.5, n - 0.5], origin="lower", aspect="auto")
    bar = fig.add_axes([0.85, 0.1, 0.05, 0.75])
    fig.colorbar(im, cax=bar)
    ax.set(title="PE", xlabel="feature index", ylabel="token index")
    ax.set_xticks(range(d))
    return fig
