# %% [markdown]
# # One token at a time: the cache of keys and values
#
# *About 50 minutes. Needs causal attention, and functions as arguments.*
#
# A language model writes one token, appends it to the text, and reads the text again to write the next
# one. For the tenth token it reads nine tokens, for the eleventh ten. But eight or nine of them are the
# same as before. Which of their numbers have changed?
#
# None. Attention is causal, so an earlier token never sees a later one. Its key and its value are the
# same in every pass. And its query? Only the output of that token needs it, and this output is known
# already. So a model keeps the keys and the values of all tokens so far: the *cache*. A new token needs
# a query, a key and a value of its own, and then it attends to all keys in the cache.
#
# **One step.** Let the cache have $t$ keys $K$ and $t$ values $V$, and let $x$ be $n$ new tokens:
#
# $$K' = \begin{bmatrix} K \\ x W_k \end{bmatrix}, \qquad V' = \begin{bmatrix} V \\ x W_v \end{bmatrix},
# \qquad \mathrm{output} = \mathrm{softmax}\Bigl(\frac{x W_q\, K'^T}{\sqrt{d_k}}
# \text{, masked}\Bigr) V'\, W_o.$$
#
# The output has a row for each new token. $K'$ and $V'$ are the new cache, with $t + n$ rows each. They
# contain the new tokens too: a token always sees itself.
#
# **By hand.** There are three tokens with two features: $[1, 2]$, $[2, 1]$ and $[1, 3]$. Queries and keys
# are the first feature, and values the second. $W_o = [1, 0]$ puts the result into the first feature of
# the output. The first token sees only itself, so its output is $[2, 0]$. The cache now has the keys
# $[1]$ and the values $[2]$.
#
# The second token has the query 2, the key 2 and the value 1. With the cache, the keys are $[1, 2]$, so
# the scores are $[2, 4]$ and the weights $[0.119, 0.881]$. The output is $[1.119, 0]$, since
# $0.119 \cdot 2 + 0.881 \cdot 1 = 1.119$. The third token has the query 1, the scores $[1, 2, 1]$, the
# weights $[0.212, 0.576, 0.212]$ and the output $[1.636, 0]$. A pass over all three tokens at once
# gives the same three outputs.
#
# **Several new tokens.** A prompt comes all at once, and a draft of several tokens may follow. Then the
# new tokens need a causal mask among themselves. The cache needs none: every new token sees all of it.
# So new token $i$ sees the keys $0$ to $t + i$. For $t = 1$ and $n = 2$ the mask is
#
# $$\begin{bmatrix} 1 & 1 & 0 \\ 1 & 1 & 1 \end{bmatrix}:$$
#
# these are the *last* $n$ rows of the mask for the whole text. The first $n$ rows would be
# $[1, 0, 0]$ and $[1, 1, 0]$. Which tokens could then not see themselves?
#
# ![Left: the causal mask of five tokens, five rows by five columns, with its last two rows framed.
# Middle: the mask of a step with three tokens in the cache and two new ones, two rows by five columns.
# It equals the framed rows. Below it, crossed out, the first two rows of the mask on the left. Right:
# bars with the number of tokens that a model reads to write four tokens after a prompt of three.
# Without a cache it reads 3, 4, 5 and 6, with a cache 3, 1, 1 and 1.](figures/kv_cache.png)
#
# **How much work is saved?** Write four tokens after a prompt of three. Without a cache, the model
# reads $3 + 4 + 5 + 6 = 18$ tokens. With a cache, it reads the prompt, and then each new token but the
# last: $3 + 1 + 1 + 1 = 6$. Why not the last one?
#
# **A loop that writes.** `generate` uses three functions: `embed` turns tokens into vectors, `step` is
# the one above, and `next_token` turns the output of the *last* token into the next token. A token is a
# whole number here. No token is embedded twice: what is in the cache stays there.
#
# **What does it cost?** Memory. Each layer has a cache of its own, and so has each head. For every
# token, it holds a key and a value of $d_\text{head}$ numbers each:
#
# $$\text{bytes} = 2 \cdot \text{layers} \cdot \text{heads} \cdot d_\text{head} \cdot \text{length}
# \cdot \text{bytes per number}.$$
#
# A model with 40 layers and 40 heads of 128 numbers, with two bytes per number, needs
# $2 \cdot 40 \cdot 40 \cdot 128 \cdot 2 = 819{,}200$ bytes for a single token. For 2,048 tokens, it needs
# 1.7 GB.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. There is one head. There are no biases and no vectors of positions. What is
# graded:
#
# - **One step.** `step` returns a pair: the output of the new tokens and the new cache. The scores are
#   divided by the root of the number of columns of `W_k`. `W_o` comes last.
# - **Cache.** A cache is a pair: the keys and the values of all tokens so far, the oldest first. None is
#   an empty cache. The new cache has the new tokens too.
# - **Several tokens.** There may be several new tokens, with a cache or without one. New token `i` sees
#   all tokens of the cache, and the new tokens `0` to `i`. However a text is split into steps, the
#   outputs are those of one causal pass.
# - **Caller's cache.** `step` changes none of its arguments. Two texts can continue from the same
#   cache.
# - **Generate.** `generate` returns a list of the `n` new tokens, without the prompt. Each is
#   `next_token` of one row: the output of the last token so far. `n` may be 0.
# - **No token twice.** `generate` calls `embed` with lists of tokens. Each token of the text, the
#   prompt included, is embedded at most once. (A token may occur in the text several times. Then each
#   of its places counts.)
# - **Bytes.** `cache_bytes` follows the formula.
# - **Sizes.** `x` and the cache can have any number of leading batch axes. The widths of `x`, of the keys
#   and of the values have nothing to do with each other. A text can have some hundreds of tokens.
# - **No side effects.** No result depends on earlier calls.
#
# If your `step` is wrong, you lose points only once: `generate` is right if it is right for your `step`.
# Some tests use inputs that are made to show a mistake. With one new token, for example, the mask blocks
# nothing.


# %%
def step(x, cache, W_q, W_k, W_v, W_o):
    """Return the output of the new tokens, and the cache with these tokens added.

    x: (..., n, d_model), the new tokens, at least one.
    cache: a pair (keys, values), or None.
        keys: (..., t, d_k).  values: (..., t, d_v).
    W_q, W_k: (d_model, d_k).  W_v: (d_model, d_v).  W_o: (d_v, d_model).
    Returns the output (..., n, d_model), and a new pair (keys, values).
    Its shapes have t + n instead of t.
    """
    ### BEGIN SOLUTION
    queries, keys, values = x @ W_q, x @ W_k, x @ W_v
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    new, total = x.shape[-2], keys.shape[-2]
    is_seen = np.tri(new, total, total - new, dtype=bool)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(W_k.shape[1])
    scores = np.where(is_seen, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ values @ W_o, (keys, values)
    ### END SOLUTION


# %%
def generate(prompt, n, next_token, embed, weights):
    """Return the n tokens that follow the prompt, in a list.

    prompt: a list of tokens (whole numbers), at least one.
    n: the number of new tokens.
    next_token: a function. It takes the output of one token, (d_model,).
        It returns the next token.
    embed: a function. It takes a list of k tokens.
        It returns their vectors, (k, d_model).
    weights: (W_q, W_k, W_v, W_o), as in step.
    """
    ### BEGIN SOLUTION
    written, unread, cache = [], list(prompt), None
    for _ in range(n):
        output, cache = step(embed(unread), cache, *weights)
        unread = [next_token(output[-1])]
        written += unread
    return written
    ### END SOLUTION


# %%
def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    """Return the number of bytes that the keys and values of a text take.

    layers, heads: each layer has this number of heads.
    d_head: the width of a key, and of a value.
    length: the number of tokens in the text.
    bytes_per_number: the size of one number.
    """
    ### BEGIN SOLUTION
    return 2 * layers * heads * d_head * length * bytes_per_number
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# The first features of the outputs should be close to 2, 1.119 and 1.636, in one step and in three.
# `generate` counts here: the next token is the last one plus 1, so the new tokens should be
# `[4, 5, 6]`. The last line should be 819200.

# %%
if __name__ == "__main__":
    x = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]])
    first, second = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    weights = (first, first, second, np.array([[1.0, 0.0]]))
    print("keys of the three tokens:", (x @ first)[:, 0])
    try:
        output, _ = step(x, None, *weights)
        print("in one step:", np.round(np.asarray(output)[:, 0], 3))
        cache, outputs = None, []
        for token in x:
            output, cache = step(token[None, :], cache, *weights)
            outputs.append(np.asarray(output)[0, 0])
        print("in three steps:", np.round(outputs, 3))

        def embed(tokens):  # a later token has a far larger key, so it gets nearly all the weight
            return np.array([[1.0, 100.0 * token, token] for token in tokens])

        columns = np.eye(3)
        counting = (columns[:, :1], columns[:, 1:2], columns[:, 2:], np.ones((1, 3)))
        new = generate([1, 2, 3], 3, lambda row: round(float(row[0])) + 1, embed, counting)
        print("new tokens:", new)
        print("bytes for one token:", cache_bytes(40, 40, 128, 1))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 2.4 of [Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need*
# (2019)](https://arxiv.org/abs/1911.02150) has a step with one new token as code. It also shows why the
# cache decides the speed: at each step, the whole cache is read from memory, for very little
# arithmetic. The model in the last example is the 13-billion-parameter OPT, whose cache [Kwon et al.,
# *Efficient Memory Management for Large Language Model Serving with PagedAttention*
# (2023)](https://arxiv.org/abs/2309.06180), section 3, compute in the same way.
#
# ## Further reading
#
# - Which rows of the mask belong to the queries? A long discussion in PyTorch: [pytorch
#   #108108](https://github.com/pytorch/pytorch/issues/108108).
# - A mask of one row and one column, in a book's code for the cache: [LLMs-from-scratch
#   #697](https://github.com/rasbt/LLMs-from-scratch/pull/697).
# - [Pope et al., *Efficiently Scaling Transformer Inference*
#   (2022)](https://arxiv.org/abs/2211.05102): reading the prompt and writing the text as two different
#   jobs.
