# mistake: the weights are drawn transposed with the ticks to match; the output is not multiplied by W_o
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
    q = x @ W_q
    k = memory @ W_k
    v = memory @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    if memory_mask is not None:
        allowed = np.asarray(memory_mask).astype(bool)[..., None, :]
        scores = np.where(allowed, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


# %%
def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    W_q, W_k, W_v, W_o = self_weights
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    L = x.shape[-2]
    scores = np.where(np.tril(np.ones((L, L), dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    y = x + weights @ v @ W_o
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]


# %%
def plot_alignment(weights, source, target):
    fig, ax = plt.subplots()
    im = ax.imshow(np.transpose(weights), cmap="Greys")
    plt.colorbar(im, ax=ax)
    ax.set_yticks(np.arange(len(source)))
    ax.set_yticklabels(source)
    ax.set_xticks(np.arange(len(target)))
    ax.set_xticklabels(target)
    ax.set_ylabel("source token")
    ax.set_xlabel("target token")
    ax.set_title("Alignment")
    return fig


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
