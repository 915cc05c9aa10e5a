# mistake: the mask acts after the softmax
from matplotlib.figure import Figure
import numpy as np


class Heatmap:
    def __init__(self):
        self.figure = Figure()

    def attention(self, weights, tokens, title):
        axes = self.figure.subplots()
        image = axes.imshow(np.asarray(weights), interpolation="nearest", aspect="auto")
        self.figure.colorbar(image, ax=axes, orientation="horizontal")
        positions = list(range(len(tokens)))
        axes.set(xticks=positions, yticks=positions, xticklabels=tokens, yticklabels=tokens)
        axes.set(xlabel="Keys", ylabel="Queries")
        for i in positions:
            for j in positions:
                axes.text(j, i, str(round(float(weights[i][j]), 2)))
        axes.set_title(title or "")
        return self.figure


def plot_attention(weights, tokens, title=None):
    return Heatmap().attention(weights, tokens, title)


def plot_mask_effect(scores, mask):
    figure = Figure(figsize=(9, 3))
    left, middle, right = figure.subplots(1, 3)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    kept = e * np.asarray(mask)
    left.imshow(mask, cmap="gray")
    middle.imshow(e / e.sum(axis=1, keepdims=True))
    right.imshow(kept / kept.sum(axis=1, keepdims=True))
    return figure


def plot_mask_effect(scores, mask):
    figure = Figure()
    panels = figure.subplots(1, 3)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    for axes, values in zip(panels, (mask, weights, np.where(mask, weights, 0))):
        axes.imshow(values)
    return figure
