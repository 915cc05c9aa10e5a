# mistake: the returned cache holds the keys twice and no values
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
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    t = 0
    if cache is not None:
        t = cache[0].shape[-2]
        k = np.concatenate([cache[0], k], axis=-2)
        v = np.concatenate([cache[1], v], axis=-2)
    n = x.shape[-2]
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    allowed = np.arange(t + n)[None, :] <= t + np.arange(n)[:, None]
    scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v @ W_o, (k, k)


# %%
def generate(prompt, n, next_token, embed, weights):
    new = []
    cache = None
    tokens = list(prompt)
    for _ in range(n):
        output, cache = step(embed(tokens), cache, *weights)
        token = next_token(output[-1])
        new.append(token)
        tokens = [token]
    return new


# %%
def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    return 2 * layers * heads * d_head * length * bytes_per_number


# %% [markdown]
# ## Try it
#
# The first features of the outputs should be close to 2, 1.119 and 1.636, in one step and in three. `generate` counts here:
# the next token is the last one plus 1, so the new tokens should be `[4, 5, 6]`. The last line should
# be 819200.

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

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check kv_cache
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
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
