import math

import matplotlib.pyplot as plt


def sinusoid(n, d, base=10000.0):
    rows = []
    for i in range(n):
        row = []
        for c in range(d):
            j = c // 2
            angle = i / base ** (2 * j / d)
            row.append(math.sin(angle) if c % 2 == 0 else math.cos(angle))
        rows.append(row)
    return rows


def similarity(pe):
    n, d = len(pe), len(pe[0])
    result = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(n):
            result[i][k] = sum(pe[i][c] * pe[k][c] for c in range(d)) / d
    return result


def plot_positions(pe):
    fig, ax = plt.subplots()
    mesh = ax.pcolormesh(pe)
    plt.colorbar(mesh, ax=ax)
    ax.set_xlabel("dimension")
    ax.set_ylabel("position")
    ax.set_title("positional encoding")
    return fig
