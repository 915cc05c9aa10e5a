# %% [markdown]
# # Seeing attention
#
# *About 45 minutes. Needs `causal_mask`, and plotting with matplotlib.*
#
# A matrix of attention weights is best looked at. In the usual picture, a **heat map**, each row is
# a query ("attending from") and each column a key ("attending to"); the colour of a cell says how
# much weight the query gives the key.
#
# | part | what it should show |
# |---|---|
# | image | the weights as they are: row $i$ of the matrix is row $i$ of the picture |
# | y axis | the queries, with the tokens as tick labels |
# | x axis | the keys, with the tokens as tick labels |
# | each cell | its weight as a number that can be read, such as `0.27` or `27%` |
# | beside it | a colour bar: which colour stands for how much |
#
# **By hand.** For the weights $\begin{bmatrix} 0.9 & 0.1 \\ 0.4 & 0.6 \end{bmatrix}$ and the tokens
# "red", "car": the first row of the picture is the query "red", and its largest weight, 0.9, is in the
# column of the key "red". The cell below it says 0.4: "car" looks at "red". If your picture says that
# "red" looks at "car" with 0.4, rows and columns have changed places.
#
# ![A heat map with two rows, the queries “red” and “car”, and two columns, the keys
# “red” and “car”. A frame marks the row of the query “car”. This row sums to 1, and gives the
# key “red” the weight 0.4. A colour bar goes from 0 to
# 1.](figures/attention_heatmap.png)
#
# **A mask, before and after.** With the causal mask, everything above the diagonal is blocked
# (**true means "may attend"**). In a row with a blocked key the other weights grow, since they still
# sum to 1. The second picture shows that: the mask, the weights without it, the weights with it.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write both functions. `ax.imshow(weights)` draws the image, `ax.text(column, row, "0.27")` writes into
# a cell, and `figure.colorbar(image)` adds the colour bar. Of `plot_attention`'s figure is graded:
#
# - **Image.** The image shows the weights unchanged, one row for each query. The whole of every
#   cell can be seen, and its colour depends on its weight.
# - **Tick labels.** Each row and each column has one tick label, its token, also if a token occurs
#   twice.
# - **Axis labels.** The labels of the axes say which one has the queries and which one the keys, in
#   your own words.
# - **Colour bar.** Beside the image is a colour bar.
# - **Cell text.** The text in a cell is only its number, with at least one decimal, or as a
#   percentage with the sign %. It has to be legible: inside its cell, large enough, and in a colour that clearly
#   differs from the cell's.
# - **Title.** The figure has the title that is given. If `title` is None, it has none.
#
# And of both functions:
#
# - **Mask effect.** `plot_mask_effect` draws three images side by side, in this order: the mask, the
#   weights without it, the weights with it. Its scores are already scaled. Every query may attend to
#   at least one key; the mask holds True and False, or 1 and 0.
# - **Figures.** Both return the figure, not the axes, for any number of tokens.
# - **No side effects.** Draw each figure anew: it shows nothing of earlier calls. The arguments stay
#   as they are.


# %%
def plot_attention(weights, tokens, title=None):
    """A heat map of the weights: queries on the y axis, keys on the x axis.

    weights: (L, L). tokens: L strings.
    title: a title, or None for a figure without one.
    Returns the matplotlib figure.
    """
    ### BEGIN SOLUTION
    weights = np.asarray(weights)
    figure, axes = plt.subplots(layout="constrained")
    image = axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    figure.colorbar(image, label="weight")
    axes.set_xticks(range(len(tokens)), tokens)
    axes.set_yticks(range(len(tokens)), tokens)
    axes.set_xlabel("key (attending to)")
    axes.set_ylabel("query (attending from)")
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            axes.text(j, i, f"{weight:.2f}", ha="center", va="center", color="tab:red")
    if title is not None:
        axes.set_title(title)
    return figure
    ### END SOLUTION


# %%
def plot_mask_effect(scores, mask):
    """Three images side by side: the mask, the weights without it and with it.

    scores: (L, L), already scaled.
    mask: (L, L), true (1) where a query may attend.
    Returns the matplotlib figure.
    """
    ### BEGIN SOLUTION
    masked = np.where(mask, scores, -np.inf)
    panels = {"mask": mask, "without the mask": softmax(scores), "with the mask": softmax(masked)}
    figure, all_axes = plt.subplots(1, 3, layout="constrained")
    for axes, (name, values) in zip(all_axes, panels.items(), strict=True):
        axes.imshow(values, cmap="Blues", vmin=0, vmax=1)
        axes.set_title(name)
    return figure
    ### END SOLUTION


### BEGIN SOLUTION
def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


### END SOLUTION
# %% [markdown]
# ## Try it
#
# Look at both pictures, and compare the first with the numbers. In the third panel of the second one, why
# is the first row a single cell?

# %%
if __name__ == "__main__":
    words, weights = ["red", "car"], np.array([[0.9, 0.1], [0.4, 0.6]])
    for word, row in zip(words, weights, strict=True):
        print(word, "attends to", ", ".join(f"{k} ({w})" for k, w in zip(words, row, strict=True)))
    try:
        plot_attention(weights, words, "Who looks at whom?")
        random_scores = np.random.default_rng(0).normal(size=(5, 5))
        plot_mask_effect(random_scores, np.tril(np.ones((5, 5), dtype=bool)))
    except NotImplementedError:
        print("… and the rest is not drawn yet")
    plt.show()

# %% [markdown] after="check"
# ## Where this comes from
#
# Figures 3 to 5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) show weights between words as lines. Figure 3 of
# [Bahdanau, Cho and Bengio (2014)](https://arxiv.org/abs/1409.0473) shows them as heat maps. In
# PyTorch, `torch.nn.MultiheadAttention(...)(..., need_weights=True)` returns such weights.
#
# ## Further reading
#
# - [Matplotlib: annotated heat
#   maps](https://matplotlib.org/stable/gallery/images_contours_and_fields/image_annotated_heatmap.html).
# - [Matplotlib: choosing colour
#   maps](https://matplotlib.org/stable/users/explain/colors/colormaps.html), also for readers
#   with colour-blindness.
