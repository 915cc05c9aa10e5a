# %% [markdown]
# # A small language model
#
# *About 75 minutes. Needs your `MultiHeadAttention`, and the causal mask.*
#
# A language model reads tokens (here, words). After each of them it gives a number for each token that
# may come next.
#
# You have written its attention. What else does it need? Vectors for the tokens and their positions, a
# network that works on each token by itself, and a last matrix that turns vectors into numbers for
# tokens.
#
# **A transformer block** (post-norm, as in the paper of 2017):
#
# $$x_1 = \text{LayerNorm}(x + \text{Attention}(x)) \qquad
#   x_2 = \text{LayerNorm}(x_1 + \text{FeedForward}(x_1))$$
#
# - The sum $x + \dots$ is a *residual connection*, a way around each part: a gradient also reaches
#   earlier layers without passing through the attention or the network. The LayerNorm after the sum
#   still rescales it.
# - `nn.LayerNorm` brings each vector to mean 0 and variance 1, then scales and shifts it. By hand:
#   `[1, 3]` has mean 2 and standard deviation 1, so it becomes `[-1, 1]`.
# - The feed-forward network is `nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(),
#   nn.Linear(d_ff, d_model))`, with biases.
#
# ![From left to right. The embeddings of token and position are added. Their sum goes through the
# block. Attention reads this sum and adds its result. Then comes norm1. The feed-forward network reads
# the result of norm1 and adds its own result. Then comes norm2. After the block, the output projection
# gives the logits.](figures/language_model.png)
#
# **The model:**
#
# | step | shape |
# |---|---|
# | tokens: whole numbers, each the number of a word in the vocabulary | `(B, L)` |
# | token embedding + position embedding | `(B, L, E)` |
# | block, with a causal mask | `(B, L, E)` |
# | output projection: *logits*, one number for each token of the vocabulary | `(B, L, V)` |
#
# The logits at position $t$ are for the token at $t + 1$. Their softmax would be its probabilities. The
# model must not have seen that token, so it makes a **causal mask** (True or 1: “may attend”).
#
# How does the model know the order of the tokens? Attention without a mask does not: exchange two
# tokens, and their outputs are exchanged. So each position has a learnt vector too, number 0 for the
# first token. It is *added* to the vector of the token.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## Your task, part 1
#
# The block. Put your `MultiHeadAttention` here, or write it again: it is graded only as a part of the
# block. What is graded:
#
# - **Parts of the block.** The block has the submodules `attention`, `norm1`, `feed_forward` and
#   `norm2`. `attention` has the bias-free `nn.Linear` `W_q`, `W_k`, `W_v` and `W_o`; `norm1` and
#   `norm2` are two `nn.LayerNorm(d_model)`.
# - **Order.** Each part is used once, in the order of the formulas above, with a weight of its own.
#   There is no further LayerNorm and no dropout.
# - **Mask of the block.** A mask given to the block goes to the attention as it is: `(L, L)`, not
#   always causal, of True and False or of 1 and 0. Without a mask, every token may attend to every
#   other.
# - **No side effects.** The inputs of block and model stay as they are, and no result depends on
#   earlier calls.


# %%
class MultiHeadAttention(nn.Module):
    """Self-attention with several heads, as in multi_head_attention."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        ### BEGIN SOLUTION
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """x: (B, L, E). mask: None, or (L, L) with True or 1 for "may attend".

        Returns (output, weights): (B, L, E) and (B, H, L, L).
        """
        ### BEGIN SOLUTION
        query, key, value = (
            projection(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for projection in (self.W_q, self.W_k, self.W_v)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights
        ### END SOLUTION


# %%
class TransformerBlock(nn.Module):
    """Attention, then a network that works on each token by itself.

    The result of each is added to its input, and the sum is normalised.
    """

    def __init__(self, d_model, num_heads, d_ff):
        """Submodules: attention, norm1, feed_forward, norm2."""
        super().__init__()
        ### BEGIN SOLUTION
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.norm2 = nn.LayerNorm(d_model)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """x: (B, L, E). mask: None, or (L, L) with True or 1 for "may attend".

        Returns one tensor of the same shape as x.
        """
        ### BEGIN SOLUTION
        attended, _ = self.attention(x, mask)
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))
        ### END SOLUTION


# %% [markdown]
# ## Your task, part 2
#
# The model. What is graded:
#
# - **Embeddings.** `token_embedding` and `position_embedding` are `nn.Embedding`, without
#   `padding_idx`. Their vectors are added as they are, not rescaled.
# - **One block.** `block` is one `TransformerBlock`.
# - **Output projection.** `output_projection` is an `nn.Linear` with a bias and a weight of its own,
#   not tied to the embedding. There is no LayerNorm between the block and it. The result is logits,
#   without a softmax.
# - **Causal.** The block gets the causal mask: a token changes no logits before it.
# - **No dropout.** There is no dropout: the logits in training are those in evaluation.
# - **Too many tokens.** `forward` raises a `ValueError` for more than `max_seq_length` tokens; just
#   as many are fine. The message is not graded.
# - **Gradient.** The gradient of the logits reaches every parameter.


# %%
class SimpleLanguageModel(nn.Module):
    """Tokens to the logits of the token that follows each of them."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        """Submodules: token_embedding, position_embedding, block and
        output_projection. d_ff: width of the hidden layer of feed_forward.
        """
        super().__init__()
        self.max_seq_length = max_seq_length
        ### BEGIN SOLUTION
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)
        ### END SOLUTION

    def forward(self, tokens):
        """tokens: (B, L), whole numbers. Returns logits (B, L, vocab_size)."""
        ### BEGIN SOLUTION
        length = tokens.size(1)
        if length > self.max_seq_length:
            raise ValueError(f"{length} tokens, but only {self.max_seq_length} positions")
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        causal = torch.ones(length, length).tril()
        return self.output_projection(self.block(x, causal))
        ### END SOLUTION


# %% [markdown]
# ## Try it
#
# First the example of the LayerNorm. Then the shape should be `(1, 4, 10)`, and the two lines after it
# should show the same numbers: another last token changes nothing before it.

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

# %% [markdown] after="check"
# ## Where this comes from
#
# Sections 3.1 and 3.3 to 3.5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), with the decoder's mask and without its encoder;
# learnt positions as in its table 3, row E. PyTorch's own block:
# [torch.nn.TransformerEncoderLayer](https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html).
#
# ## Further reading
#
# - [Ba, Kiros and Hinton, *Layer Normalization* (2016)](https://arxiv.org/abs/1607.06450)
# - [He et al., *Deep Residual Learning* (2015)](https://arxiv.org/abs/1512.03385): residual
#   connections.
# - [Xiong et al. (2020)](https://arxiv.org/abs/2002.04745): what changes for the gradients if each
#   part is normalised *before* it, as in newer models.
# - [Elhage et al., *A Mathematical Framework for Transformer Circuits*
#   (2021)](https://transformer-circuits.pub/2021/framework/index.html): the sums of residual
#   connections as a stream that all parts read from and add to.
