import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    position = np.arange(n)[:, np.newaxis]
    div_term = np.exp(np.arange(0, d, 2) * (-np.log(base) / d))
    pe = np.zeros((n, d))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term[: d // 2])
    return pe


def similarity(pe):
    return np.einsum("ic,kc->ik", pe, pe) / pe.shape[-1]


def plot_positions(pe):
    plt.figure(figsize=(8, 6))
    plt.imshow(pe, aspect="auto", origin="lower", interpolation="nearest")
    plt.title("Sinusoidal encoding of %d positions" % len(pe))
    plt.xlabel("Encoding dimension")
    plt.ylabel("Position in the sentence")
    plt.colorbar(label="value")
    return plt.gcf()
