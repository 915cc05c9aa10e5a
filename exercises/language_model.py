# %% [markdown]
# # A small language model
#
# *About 75 minutes. Needs your `MultiHeadAttention`, and the causal mask.*
#
# A language model reads words and says, at each position, which word may come next. Everything it
# needs is there but for three small parts: a place to keep *which* word stands *where*, a network
# that works on each position by itself, and a last matrix that turns vectors into words.
#
# **A transformer block** (post-norm, as in the paper of 2017):
#
# $$x_1 = \text{LayerNorm}(x + \text{Attention}(x)) \qquad
#   x_2 = \text{LayerNorm}(x_1 + \text{FeedForward}(x_1))$$
#
# - The sum $x + \dots$ is a *residual connection*: a way around, so that a gradient reaches the first
#   layer undiminished.
# - `nn.LayerNorm` brings each vector to mean 0 and variance 1, then scales and shifts it. By hand:
#   `[1, 3]` has mean 2 and standard deviation 1, so it becomes `[-1, 1]`.
# - The feed-forward network is `nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(),
#   nn.Linear(d_ff, d_model))`, with biases.
#
# ![From left to right: the embeddings of token and position are added. A line runs on from there
# through the block. Attention reads from it, and what it makes is added to it; then comes norm1.
# The feed-forward network does the same, then norm2. After the block, the output projection gives
# the logits.](figures/language_model.png)
#
# **The model:**
#
# | step | shape |
# |---|---|
# | tokens: whole numbers, one for each word | `(B, L)` |
# | token embedding + position embedding | `(B, L, E)` |
# | block, with a causal mask | `(B, L, E)` |
# | output projection: *logits*, one number for each word of the vocabulary | `(B, L, V)` |
#
# The logits at position $t$ speak of the word at $t + 1$; a softmax of them would be its
# probabilities. The model must not have seen that word: hence the **causal mask** (True or 1: “may
# attend”), which the model makes itself.
#
# Attention alone does not know the order of the words: exchange two, and their outputs are exchanged.
# So each position has a learnt vector too, number 0 for the first word, that is *added* to the word's
# own.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## Your task, part 1
#
# The block. Its attention has several heads, and bias-free `W_q`, `W_k`, `W_v`, `W_o`: put your
# `MultiHeadAttention` here, or write one anew. There is no dropout in this model.


# %%
class MultiHeadAttention(nn.Module):
    """Self-attention with several heads; any class of your own will do."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x, mask=None):
        """x: (B, L, E). mask: (L, L), True or 1: may attend.

        Returns (output, weights).
        """
        # YOUR CODE HERE
        raise NotImplementedError()


# %%
class TransformerBlock(nn.Module):
    """Attention, then a network for each position.

    Each is added to its input and normalised.
    """

    def __init__(self, d_model, num_heads, d_ff):
        """Submodules: attention, norm1, feed_forward, norm2."""
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x, mask=None):
        """x: (B, L, E). Returns the same shape."""
        # YOUR CODE HERE
        raise NotImplementedError()


# %% [markdown]
# ## Your task, part 2
#
# The model. More tokens than `max_seq_length` have no position: raise a `ValueError`. A message that
# names both numbers helps whoever reads it; it is not graded. The embeddings are `nn.Embedding`, added
# as they are, and `output_projection` is a `nn.Linear` with its bias.


# %%
class SimpleLanguageModel(nn.Module):
    """Tokens to the logits of the word that follows each of them."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        """Submodules: token_embedding, position_embedding, block and
        output_projection.
        """
        super().__init__()
        self.max_seq_length = max_seq_length
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, tokens):
        """tokens: (B, L), whole numbers. Returns logits (B, L, vocab_size)."""
        # YOUR CODE HERE
        raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# First the example of the layer norm. Then the shape should be `(1, 4, 10)`, and the two lines after it
# show the same numbers: another last word changes nothing before it.

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    print("LayerNorm of [1, 3]:", nn.LayerNorm(2)(torch.tensor([1.0, 3.0])).tolist())
    try:
        model = SimpleLanguageModel(10, d_model=8, num_heads=2, d_ff=16, max_seq_length=6)
        print(model(torch.tensor([[1, 2, 3, 4]])).shape)
        print(model(torch.tensor([[1, 2, 3, 4]]))[0, 2, :4])
        print(model(torch.tensor([[1, 2, 3, 9]]))[0, 2, :4])
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check language_model
#
# It shows your points and, if something is not right yet, what it is and a hint; `--hint` shows one
# more. With `watch` in place of `check` it does so whenever you save.

# %% [markdown]
# ## Where this comes from
#
# Sections 3.1 and 3.3 to 3.5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), with the decoder's mask and without its encoder;
# learnt positions as in its table 3, row E. PyTorch's own block:
# [torch.nn.TransformerEncoderLayer](https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html).
#
# ## Go on reading
#
# - [Ba, Kiros and Hinton, *Layer Normalization* (2016)](https://arxiv.org/abs/1607.06450)
# - [He et al., *Deep Residual Learning* (2015)](https://arxiv.org/abs/1512.03385): the way
#   around.
# - [Xiong et al. (2020)](https://arxiv.org/abs/2002.04745): why newer models normalise *before*
#   each part.
# - [Elhage et al., *A Mathematical Framework for Transformer Circuits*
#   (2021)](https://transformer-circuits.pub/2021/framework/index.html): the residual stream, in
#   earnest.
