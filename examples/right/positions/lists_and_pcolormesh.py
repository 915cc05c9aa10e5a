import matplotlib.pyplot as plt
import numpy as np


def sinusoid(n, d, base=10000.0):
    import math

    rows = []
    for i in range(n):
        row = []
        for c in range(d):
            angle = i / base ** ((c - c % 2) / d)
            row.append(math.cos(angle) if c % 2 else math.sin(angle))
        rows.append(row)
    return rows


def similarity(pe):
    pe = np.asarray(pe)
    n, d = pe.shape
    return [[sum(pe[i, c] * pe[k, c] for c in range(d)) / d for k in range(n)] for i in range(n)]


def plot_positions(pe):
    pe = np.asarray(pe)
    n, d = pe.shape
    fig = plt.figure()
    ax = fig.add_subplot()
    mesh = ax.pcolormesh(np.arange(d), np.arange(n), pe, shading="nearest", cmap="coolwarm")
    ax.set(xlabel="dimension", ylabel="place in the sequence", title="sines and cosines")
    plt.colorbar(mesh, ax=ax, label="value")
    return fig
