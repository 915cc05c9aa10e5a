# %% [markdown]
# # Find the bug
#
# *About 120 minutes, in five parts. Needs the NumPy exercises, from `softmax` to
# `multi_head_reshape`, and the paragraph on dropout in `self_attention`.*
#
# Each of the five functions below looks right and runs on the example that it was published with. Each
# has one real fault. Can you find it? For each function:
#
# 1. **Repair it**: write the right function, under its name without `broken_`.
# 2. **Write a test** that finds the fault: `test_NAME(implementation)` gets a function, calls it, and
#    raises an `AssertionError` (by `assert`) if the function is wrong. If it is right, the test returns.
#    If the function itself raises an error, that counts as found.
#
# What is graded, for each of the five:
#
# - **Repair.** Your function is right for every input that its description names (2 points).
# - **No side effects.** Your function changes neither its arguments nor earlier results, and its
#   results do not depend on earlier calls.
# - **Right functions.** Your test accepts right functions, written in several ways, and rejects the
#   broken one (1 point).
# - **Half of the others.** Your test rejects half of some other functions, each with one fault in its
#   results; most of them you cannot see (1 point).
# - **All of the others.** Your test rejects all of these other functions (1 point).
#
# **How to write a test that finds faults**
#
# - Know the right answer: by hand, or by a slow and simple second way, with loops. A property alone is
#   seldom enough: many wrong rows sum to 1.
# - Compare the shape and every number of each result, with `np.allclose(a, b)` and never with `==`:
#   right functions round differently.
# - Use every kind of input that the description names, and its smallest and largest numbers.
# - Choose sizes that all differ: 2 sequences, 3 heads, 4 tokens, 5 features. Where two sizes are equal,
#   a mixed-up axis goes unnoticed. Where the description names equal sizes, try these too.
# - Let nothing depend on chance: give each generator a seed.
#
# An example, for a function that should give the mean of each row:
#
# ```python
# def broken_row_mean(x):
#     return x.mean()
#
# def row_mean(x):
#     return x.mean(axis=-1)
#
# def test_row_mean(implementation):
#     x = np.array([[1.0, 3.0], [5.0, 9.0]])
#     assert np.allclose(implementation(x), [2.0, 7.0])
# ```
#
# ![Two inputs for this example. For a matrix of fours, the correct function gives 4, 4 and the broken
# one 4.0. np.allclose finds no difference. For the rows 1, 3 and 5, 9, the correct result is 2, 7 and
# the broken one 4.5.](figures/find_the_bug.png)
#
# Begin with the first: the others, also the broken ones, use your `row_softmax`.

# %%
import numpy as np

# %% [markdown]
# ## 1. A softmax
#
# `row_softmax(x)`: the softmax along the last axis of an array with one axis or more, of decimals or
# whole numbers. For your test, one, two and three axes are enough. It is stable: where one row has
# entries of 1000 and another of −1000, both are right.


# %%
def broken_row_softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


# %%
def row_softmax(x):
    """x: (..., n).

    Returns (..., n): numbers from 0 to 1 that sum to 1 along the last axis.
    """
    ### BEGIN SOLUTION
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
    ### END SOLUTION


# %%
def test_row_softmax(implementation):
    """Raises AssertionError if the implementation is broken."""
    ### BEGIN SOLUTION
    batch = np.array([[[1.0, 2.0, 4.0, 0.5], [3.0, 3.0, 0.0, 1.0], [0.0, -1.0, 5.0, 2.0]]] * 2)
    batch[1] *= -0.5
    large = np.array([[1000.0, 999.0, 998.0], [-1000.0, -1000.5, -1002.0]])
    whole = np.array([[1, 2, 3], [3, 0, 1]])
    for x in (batch, batch[0], batch[0, 0], large, whole):
        weights = implementation(x)
        assert weights.shape == x.shape
        for place in np.ndindex(*x.shape[:-1]):
            e = np.exp(x[place] - max(x[place]))
            assert np.allclose(weights[place], e / e.sum())
    ### END SOLUTION


# %% [markdown]
# ## 2. Attention on a batch
#
# `batched_attention(Q, K, V)`: scaled dot-product attention, `(output, weights)`. There may be no batch
# axis, one, or several, such as a batch and heads. There may be more keys than queries, or fewer, and
# `d_v` may differ from `d_k`. Scores of 1000 give no NaN.


# %%
def broken_batched_attention(Q, K, V):
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[-1])
    weights = row_softmax(scores)
    return weights @ V, weights


# %%
def batched_attention(Q, K, V):
    """Q: (..., L_q, d_k), K: (..., L_k, d_k), V: (..., L_k, d_v).

    Returns (output, weights).
    """
    ### BEGIN SOLUTION
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    weights = row_softmax(scores)
    return weights @ V, weights
    ### END SOLUTION


# %%
def test_batched_attention(implementation):
    """Raises AssertionError if the implementation is broken."""
    ### BEGIN SOLUTION
    rng = np.random.default_rng(0)
    for batch, size in (((2, 3), 1), ((2,), 1), ((), 1), ((), 1000)):
        Q, K, V = (rng.normal(size=(*batch, n, d)) for n, d in ((4, 5), (6, 5), (6, 7)))
        Q = Q * size
        output, weights = implementation(Q, K, V)
        assert output.shape == (*batch, 4, 7) and weights.shape == (*batch, 4, 6)
        for place in np.ndindex(*batch, 4):
            part = place[:-1]
            scores = np.array([Q[place] @ K[part][j] / np.sqrt(5) for j in range(6)])
            e = np.exp(scores - max(scores))
            assert np.allclose(weights[place], e / e.sum())
            assert np.allclose(output[place], e / e.sum() @ V[part])
    ### END SOLUTION


# %% [markdown]
# ## 3. A mask for several heads
#
# `masked_heads(scores, mask)`: the attention weights of scores `(B, H, L, L)`, which are scaled already.
# The mask is True (or 1, or 1.0) where a query **may attend**. It is `(L, L)`, the same for all, or
# `(B, L, L)`, one for each sequence; it need not be causal. Each row allows at least one key, and blocked
# keys get the weight 0. Scores of 1000 give no NaN. B, H and L may be equal.


# %%
def broken_masked_heads(scores, mask):
    mask = np.asarray(mask)[:, None]  # an axis for the heads
    return row_softmax(np.where(mask, scores, -1e9))


# %%
def masked_heads(scores, mask):
    """scores: (B, H, L, L). mask: (L, L) or (B, L, L), True or 1: may attend.

    Returns weights.
    """
    ### BEGIN SOLUTION
    mask = np.asarray(mask)
    if mask.ndim == 3:
        mask = mask[:, None]
    return row_softmax(np.where(mask, scores, -1e9))
    ### END SOLUTION


# %%
def test_masked_heads(implementation):
    """Raises AssertionError if the implementation is broken."""
    ### BEGIN SOLUTION
    rng = np.random.default_rng(0)
    for B, H, L in ((2, 3, 4), (3, 3, 3)):  # where all sizes are equal, nothing fails by its shape
        one = np.eye(L, k=1, dtype=bool) | np.eye(L, dtype=bool)
        each = np.array([np.roll(one, b, axis=1) for b in range(B)])
        for mask in (one, each, one.astype(float), each.astype(int)):
            for size in (1, 1000):
                scores = size * rng.normal(size=(B, H, L, L))
                weights = implementation(scores, mask)
                assert weights.shape == scores.shape
                for b, h, i in np.ndindex(B, H, L):
                    row = mask[i] if mask.ndim == 2 else mask[b, i]
                    low = np.where(row == 1, scores[b, h, i], -np.inf)
                    e = np.exp(low - max(low))
                    assert np.allclose(weights[b, h, i], e / e.sum())
    ### END SOLUTION


# %% [markdown]
# ## 4. Several heads
#
# `multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads)`: self-attention in heads, `(output, weights)`,
# with `x @ W_q` and so on. Head h has the features h·E/H to (h+1)·E/H − 1, and weights of its own. E is a
# multiple of H. Scores of 1000 give no NaN.


# %%
def broken_multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads):
    head_size = x.shape[-1] // num_heads
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(head_size))
    return weights @ V @ W_o, weights


# %%
def multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads):
    """x: (B, L, E), W_*: (E, E).

    Returns (output, weights): (B, L, E) and (B, H, L, L).
    """
    ### BEGIN SOLUTION
    batch, length, features = x.shape
    size = features // num_heads
    Q, K, V = (
        (x @ W).reshape(batch, length, num_heads, size).transpose(0, 2, 1, 3)
        for W in (W_q, W_k, W_v)
    )
    weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(size))
    merged = (weights @ V).transpose(0, 2, 1, 3).reshape(batch, length, features)
    return merged @ W_o, weights
    ### END SOLUTION


# %%
def test_multi_head_forward(implementation):
    """Raises AssertionError if the implementation is broken."""
    ### BEGIN SOLUTION
    rng = np.random.default_rng(0)
    W_q, W_k, W_v, W_o = rng.normal(size=(4, 6, 6))
    for size in (1, 30):
        x = size * rng.normal(size=(2, 4, 6))
        output, weights = implementation(x, W_q, W_k, W_v, W_o, 3)
        assert weights.shape == (2, 3, 4, 4)
        heads = []
        for h in range(3):
            part = slice(2 * h, 2 * h + 2)
            Q, K, V = (x @ W[:, part] for W in (W_q, W_k, W_v))
            scores = Q @ K.transpose(0, 2, 1) / np.sqrt(2)
            e = np.exp(scores - scores.max(axis=-1, keepdims=True))
            e /= e.sum(axis=-1, keepdims=True)
            assert np.allclose(weights[:, h], e)
            heads.append(e @ V)
        assert np.allclose(output, np.concatenate(heads, axis=-1) @ W_o)
    ### END SOLUTION


# %% [markdown]
# ## 5. Dropout
#
# `attention_with_dropout(Q, K, V, p, rng)`: attention in training. Each weight is set to 0 with
# probability p, independently of all others. The others are divided by 1 − p. The values are multiplied
# by these; **returned are the weights before dropout**, whose rows sum to 1. With p = 0 nothing is
# dropped; p may be as small as 0.1 or as large as 0.8.
#
# All random numbers come from `rng`, a `numpy.random.Generator`: the same seed gives the same result,
# another seed another. Right functions may use `rng` in different ways, so a test cannot know which
# weights are dropped.


# %%
def broken_attention_with_dropout(Q, K, V, p, rng):
    weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))
    kept = rng.random(weights.shape) >= p
    weights = weights * kept / (1 - p)
    return weights @ V, weights


# %%
def attention_with_dropout(Q, K, V, p, rng):
    """Q, K, V as in batched_attention; 0 <= p < 1.

    Returns (output, weights before dropout).
    """
    ### BEGIN SOLUTION
    weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))
    kept = rng.random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights
    ### END SOLUTION


# %%
def test_attention_with_dropout(implementation):
    """Raises AssertionError if the implementation is broken."""
    ### BEGIN SOLUTION
    data = np.random.default_rng(0)
    Q, K = data.normal(size=(2, 40, 4)), data.normal(size=(2, 50, 4))
    eye = np.eye(50)  # with these values, the output shows the weights that were used
    V = np.array([np.hstack([eye, eye])] * 2)  # twice: dropout of the output would differ
    e = np.exp(Q @ K.transpose(0, 2, 1) / 2)
    right = e / e.sum(axis=-1, keepdims=True)
    for p in (0, 0.1, 0.3, 0.75):
        output, weights = implementation(Q, K, V, p, np.random.default_rng(1))
        assert np.allclose(weights, right)
        used = output[:, :, :50]
        assert np.allclose(used, output[:, :, 50:])
        kept = used != 0
        assert np.allclose(used[kept] * (1 - p), right[kept])
        assert abs(1 - kept.mean() - p) < 0.05
        again, _ = implementation(Q, K, V, p, np.random.default_rng(1))
        assert np.allclose(output, again)
        if p > 0:
            other, _ = implementation(Q, K, V, p, np.random.default_rng(2))
            assert not np.allclose(output, other)
            assert not np.array_equal(kept[0], kept[1])
            for axis in (0, 1):  # neither the same keys for every query, nor whole queries
                assert np.unique(kept[0], axis=axis).shape[axis] > 1
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# Each test should reject the broken function and accept yours.

# %%
if __name__ == "__main__":
    for name in (
        "row_softmax",
        "batched_attention",
        "masked_heads",
        "multi_head_forward",
        "attention_with_dropout",
    ):
        test = globals()[f"test_{name}"]
        for kind in (f"broken_{name}", name):
            try:
                test(globals()[kind])
                said = "accepted"
            except AssertionError:
                said = "rejected"
            except NotImplementedError:
                said = "is not written yet, or its test is not"
            except Exception as error:
                said = f"rejected, by its own {type(error).__name__}"
            print(f"{kind:30} {said}")

# %% [markdown] after="check"
# ## Where this comes from
#
# All five faults are from published teaching material, found by running it. To judge tests by the
# faults that they find is called mutation testing; it was proposed by [DeMillo, Lipton and Sayward,
# *Hints on Test Data Selection* (1978)](https://doi.org/10.1109/C-M.1978.218136). PyTorch compares with
# `torch.testing.assert_close`.
#
# ## Further reading
#
# - [pytest: how to write and report
#   assertions](https://docs.pytest.org/en/stable/how-to/assert.html)
# - [numpy.allclose](https://numpy.org/doc/stable/reference/generated/numpy.allclose.html): its
#   two tolerances, and what it does with shapes.
# - [Hypothesis](https://hypothesis.readthedocs.io/en/latest/): inputs that nobody would have
#   thought of.
