# mistake: a token that occurs twice has one tick label
import matplotlib.pyplot as plt
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def plot_attention(weights, tokens, title=None):
    figure, axes = plt.subplots()
    picture = axes.imshow(weights, cmap="viridis")
    figure.colorbar(picture)
    place = {token: i for i, token in enumerate(tokens)}
    axes.set_xticks(list(place.values()), list(place))
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xlabel("key")
    axes.set_ylabel("query")
    for (i, j), weight in np.ndenumerate(weights):
        axes.text(j, i, f"{weight:.2f}", ha="center")
    if title is not None:
        axes.set_title(title)
    return figure


def plot_mask_effect(scores, mask):
    figure, panels = plt.subplots(1, 3)
    masked = softmax(np.where(mask, scores, -1e9))
    for axes, values in zip(panels, (mask, softmax(scores), masked)):
        axes.imshow(values)
    return figure
