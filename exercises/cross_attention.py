# %% [markdown]
# # Two texts: cross-attention
#
# *About 50 minutes. Needs attention with a mask, the causal mask, and the heat map of weights.*
#
# A model translates "ich habe den Hund gesehen" as "I saw the dog". While it writes *saw*, it has to
# look at *gesehen*, the last token of the other text. But self-attention takes queries, keys and values
# from a single text. How can a token of one text look at the tokens of another?
#
# **Only the queries change their source.** The text that is being written is the *target*, and its
# vectors are the rows of $x$. The text that is read is the *source*. A first part of the model, the
# encoder, has turned it into vectors too: the *memory* $m$. The target asks, and the memory answers:
#
# $$Q = x W_q, \qquad K = m W_k, \qquad V = m W_v, \qquad
# \mathrm{output} = \mathrm{softmax}\Bigl(\frac{Q K^T}{\sqrt{d_k}}\Bigr) V\, W_o.$$
#
# So there is one row of weights for each target token, and one column for each token of the memory.
# The two lengths need not be equal, nor need the widths of $x$ and $m$. What does the output have
# in common with $x$? The number of rows. Its contents come from the memory.
#
# ![Left: a diagram. The target, two tokens, goes through W_q and gives the queries. The memory, three
# tokens, goes through W_k and W_v and gives the keys and the values. Queries and keys give weights
# with two rows and three columns. The last column is hatched, because the last token is padding. The
# output is the weights times the values, times W_o. Right: a heat map of made-up weights with the
# target tokens I, saw, the, dog as rows and the source tokens ich, habe, den, Hund, gesehen as
# columns. The row of saw has its largest weight, 0.70, in the last column, which is
# framed.](figures/cross_attention.png)
#
# **Padding.** Texts of different lengths go through a model together, so the shorter ones are filled up
# with padding tokens. `memory_mask` has one entry for each token of the memory: true for a real token,
# false for padding. Padding is not nothing. It has a vector, and this vector has a key. If no mask
# blocks this key, then it gets a weight, as all others do.
#
# **By hand.** There are two target tokens, and three tokens in the memory, of which the last is padding:
#
# $$x = \begin{bmatrix} 1 & 0 \\ 0 & 2 \end{bmatrix}, \quad
# m = \begin{bmatrix} 0 & 1 \\ 1 & 2 \\ 9 & 9 \end{bmatrix}, \quad
# W_q = \begin{bmatrix} 1 \\ 1 \end{bmatrix}, \quad
# W_k = \begin{bmatrix} 1 \\ 0 \end{bmatrix}, \quad
# W_v = \begin{bmatrix} 0 \\ 1 \end{bmatrix}, \quad
# W_o = \begin{bmatrix} 1 & -1 \end{bmatrix}.$$
#
# The queries are 1 and 2, the keys 0, 1 and 9, the values 1, 2 and 9, and $d_k = 1$. The scores are
# $[0, 1, 9]$ and $[0, 2, 18]$. The mask blocks the last column, so the weights are
# $[0.269, 0.731, 0]$ and $[0.119, 0.881, 0]$. The weighted sums of the values are 1.731 and 1.881, and
# the output is
#
# $$\begin{bmatrix} 1.731 & -1.731 \\ 1.881 & -1.881 \end{bmatrix}.$$
#
# What would the first row of the weights be without the mask? $[0.000, 0.000, 1.000]$, to three
# decimals: the padding would get nearly everything.
#
# **The mask has no axis for the queries.** Its shape is $(\ldots, L_\text{memory})$, and the scores have
# the shape $(\ldots, L, L_\text{memory})$. So each row of the scores gets the same mask. With a batch
# axis, NumPy does not line up the axes as you want: $(B, L_\text{memory})$ meets the last *two* axes
# of $(B, L, L_\text{memory})$. If $B = L$, there is not even an error. Which axis is missing, and where?
#
# **A layer of a decoder** has both kinds of attention, one after the other. Each result is added to
# what was there before:
#
# $$y = x + \mathrm{self}(x), \qquad z = y + \mathrm{cross}(y, m).$$
#
# The self-attention is causal, since the later target tokens are not written yet. It has four matrices
# $(W_q, W_k, W_v, W_o)$ of its own. For the cross-attention, the queries come from $y$. Does it need a
# causal mask too? No: the source is complete before the first target token is written. With a causal
# mask, *saw* (position 1) could not see *gesehen* (position 4).
#
# **By hand.** With the $W_q$ of the self-attention equal to 0, all scores are 0: each token takes the
# mean of the tokens that it sees. Let $W_v$ and $W_o$ be the identity. Then
#
# $$\mathrm{self}(x) = \begin{bmatrix} 1 & 0 \\ 0.5 & 1 \end{bmatrix}, \qquad
# y = \begin{bmatrix} 2 & 0 \\ 0.5 & 3 \end{bmatrix}.$$
#
# Cross-attention as above gives the queries 2 and 3.5, the weighted sums 1.881 and 1.971, and
#
# $$z = \begin{bmatrix} 3.881 & -1.881 \\ 2.471 & 1.029 \end{bmatrix}.$$

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. There is one head, and there are no biases. What is graded:
#
# - **Queries, keys and values.** In `cross_attention`, the queries come from `x`, and the keys and
#   values from `memory`. The scores are divided by the root of the number of columns of `W_k`. `W_o`
#   comes last. The function returns a pair: the output and the weights.
# - **Padding.** A token with a false entry in `memory_mask` gets the weight 0 from every target token.
#   Without a mask, all tokens are real. Padding can be anywhere in the memory, and its vectors can have
#   any numbers. The entries are booleans or 0 and 1. At least one token of each memory is real.
# - **Whole memory.** Each target token can see every real token of the memory.
# - **Two sums.** `decoder_layer` adds the causal self-attention of `x` to `x`. Then it adds the
#   cross-attention to this sum. There is no normalisation.
# - **Earlier tokens.** In the self-attention, a target token sees itself and earlier target tokens.
# - **Picture.** `plot_alignment` draws one image of the weights. Each row is a target token, and each
#   column a source token. The values are unchanged, in colours that tell them apart.
# - **Tokens.** Each row has its target token as a tick label of the y axis, and each column its source
#   token as a tick label of the x axis. A text can have the same token twice.
# - **Labels.** Both axes have a label, and the two differ. There are a title and a colour bar. You
#   choose the words.
# - **Sizes.** `x` and `memory` can have any number of leading batch axes, the same ones for both, and
#   `memory_mask` has them too. The two lengths, and the widths of `x`, of `memory`, of the keys and of
#   the values have nothing to do with each other.
# - **No side effects.** No function changes its arguments, and no result or figure depends on earlier
#   calls: draw each figure on new axes.
#
# If your `cross_attention` is wrong, you lose points only once: `decoder_layer` is right if it is right
# for your `cross_attention`. Some tests use inputs that are made to show a mistake, such as padding with
# large numbers, or a batch with as many texts as target tokens.


# %%
def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    """Return what each target token takes from the memory, and the weights.

    x: (..., L, d), the vectors of the target tokens.
    memory: (..., L_memory, d_memory), the vectors of the source tokens.
    W_q: (d, d_k).  W_k: (d_memory, d_k).  W_v: (d_memory, d_v).  W_o: (d_v, d).
    memory_mask: (..., L_memory), true (or 1) for real tokens, or None.
    Returns the output (..., L, d) and the weights (..., L, L_memory).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    """Return x after causal self-attention and cross-attention, each with a sum.

    x: (..., L, d).
    memory: (..., L_memory, d_memory).
    self_weights: (W_q, W_k, W_v, W_o) of the self-attention.
        W_q, W_k: (d, d_k).  W_v: (d, d_v).  W_o: (d_v, d).
    cross_weights: (W_q, W_k, W_v, W_o) as in cross_attention.
    memory_mask: (..., L_memory), as in cross_attention, or None.
    Returns an array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def plot_alignment(weights, source, target):
    """Return a figure with a heat map of the weights.

    weights: (L, L_memory).
    source: the L_memory tokens of the memory, a list of texts: along the x axis.
    target: the L target tokens, a list of texts: along the y axis.
    Returns the matplotlib figure.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The first weights should be close to `[[0.269 0.731 0.] [0.119 0.881 0.]]`, and the two results to
# those of the examples by hand. Then look at the picture. Which token does *saw* read?

# %%
if __name__ == "__main__":
    x = np.array([[1.0, 0.0], [0.0, 2.0]])
    memory = np.array([[0.0, 1.0], [1.0, 2.0], [9.0, 9.0]])
    W_q, W_k, W_v = np.array([[1.0], [1.0]]), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    cross_weights = (W_q, W_k, W_v, np.array([[1.0, -1.0]]))
    self_weights = (np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2))
    is_real = np.array([True, True, False])
    print("queries:", (x @ W_q)[:, 0])
    try:
        output, weights = cross_attention(x, memory, *cross_weights, is_real)
        print("weights:\n", np.round(weights, 3))
        print("output:\n", np.round(output, 3))
        z = decoder_layer(x, memory, self_weights, cross_weights, is_real)
        print("decoder layer:\n", np.round(z, 3))
        source = ["ich", "habe", "den", "Hund", "gesehen"]
        target = ["I", "saw", "the", "dog"]
        made_up = np.array(
            [
                [0.80, 0.10, 0.02, 0.03, 0.05],
                [0.05, 0.20, 0.02, 0.03, 0.70],
                [0.02, 0.03, 0.85, 0.08, 0.02],
                [0.02, 0.02, 0.10, 0.80, 0.06],
            ]
        )
        plot_alignment(made_up, source, target)
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check cross_attention
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.2.3 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) names the three uses of attention in a transformer. The
# queries of the *encoder-decoder attention* come from the decoder, and its keys and values from the
# output of the encoder. Figure 1 there shows the whole layer, with normalisations and a further part
# for each token. Each is in the exercise `block_parts`.
#
# The idea is older than the transformer: section 3.1 of [Bahdanau, Cho and Bengio, *Neural Machine
# Translation by Jointly Learning to Align and Translate* (2015)](https://arxiv.org/abs/1409.0473), and
# its figure 3 shows such weights for four sentences, with the source along x and the target along y.
#
# ## Further reading
#
# - A mask on the wrong axis, in a tutorial that many people copied: [keras-io
#   #1046](https://github.com/keras-team/keras-io/pull/1046).
# - A decoder whose keys and values come from the target: [Practical_NLP_in_PyTorch
#   #1](https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1).
