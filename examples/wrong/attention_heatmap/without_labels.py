import math

import matplotlib.pyplot as plt


def soft(row):
    top = max(row)
    e = [math.exp(x - top) for x in row]
    return [x / sum(e) for x in e]


def plot_attention(weights, tokens, title=None):
    plt.figure()
    plt.imshow([[float(x) for x in row] for row in weights])
    plt.colorbar().set_label("weight")
    plt.gca().set_xticks([n for n, _ in enumerate(tokens)], list(tokens))
    plt.gca().set_yticks([n for n, _ in enumerate(tokens)], list(tokens))
    plt.gca().set_xlabel('')
    plt.gca().set_ylabel('')
    [plt.text(j, i, "%.2f" % x) for i, row in enumerate(weights) for j, x in enumerate(row)]
    if title is not None:
        plt.title(title)
    return plt.gcf()


def plot_mask_effect(scores, mask):
    figure = plt.figure()
    blocked = [[s if m else -math.inf for s, m in zip(*rows)] for rows in zip(scores, mask)]
    pictures = [
        [[int(m) for m in row] for row in mask],
        [soft(row) for row in scores],
        [soft(row) for row in blocked],
    ]
    for place, picture in enumerate(pictures, start=1):
        plt.subplot(1, 3, place)
        plt.imshow(picture)
    return figure
