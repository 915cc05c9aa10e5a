# %% [markdown]
# # Backwards through attention: gradients, and how to test them
#
# *About 60 minutes. Needs scaled dot-product attention, masks, derivatives, and plotting with
# matplotlib.*
#
# A model learns by gradients: for each number in it, how much does the loss change if this number grows
# a little? Libraries compute them. In this exercise you compute those of attention yourself, and you
# build the tool that tells you if they are right.
#
# **Notation.** The loss $L$ is one number. For an array $A$, $dA$ is the array of all
# $\partial L / \partial A_{ij}$, so it has the shape of $A$. Going backwards means: $dO$ of the output
# is given, and we look for $dQ$, $dK$ and $dV$. One head computes
#
# $$S = \frac{Q K^T}{\sqrt d}, \qquad P = \mathrm{softmax}(S), \qquad O = P V,$$
#
# where $d$ is the number of columns of $K$. We undo these steps from the last to the first.
#
# **The product.** What does $V_{jc}$ change? It is in every row of the output: $O_{ic}$ contains
# $P_{ij} V_{jc}$. So its effects on all queries add up, $dV_{jc} = \sum_i P_{ij}\, dO_{ic}$. In the same
# way $P_{ij}$ meets each $V_{jc}$ in row $i$:
#
# $$dV = P^T\, dO, \qquad dP = dO\, V^T.$$
#
# If you forget which one is transposed, look at the shapes: only one order fits.
#
# **The softmax.** Let $p$ be one row of weights. If one score of the row grows, its weight grows, and
# all others shrink, since their sum stays 1. So $ds_j$ depends on all of $dp$:
#
# $$ds_j = p_j\,\Bigl(dp_j - \sum_m p_m\, dp_m\Bigr).$$
#
# In words: subtract the weighted mean of the row, then multiply by the weights.
#
# **By hand.** Let $p = [0.5,\ 0.25,\ 0.25]$ and $dp = [4,\ 0,\ 8]$. The weighted mean is
# $2 + 0 + 2 = 4$. So $ds = [0.5 \cdot 0,\ 0.25 \cdot (-4),\ 0.25 \cdot 4] = [0,\ -1,\ 1]$. What is the
# sum of $ds$? It is always 0. Why? A constant that is added to all scores of a row changes nothing.
#
# **The scores.** They are a product again, with the factor $1/\sqrt d$. It stays in both results:
#
# $$dQ = \frac{dS\, K}{\sqrt d}, \qquad dK = \frac{dS^T Q}{\sqrt d}.$$
#
# **By hand.** One query and two keys, with $d = 4$: $q = [2, 0, 0, 0]$, the keys are $[1, 2, 0, 0]$ and
# $[1, 0, 4, 0]$, the values are $[4]$ and $[0]$, and $dO = [1]$. Both scores are $2/2 = 1$, so
# $p = [0.5,\ 0.5]$. Then $dV$ is $[0.5]$ and $[0.5]$, and $dp = [4, 0]$ with the weighted mean 2. So
# $ds = [1, -1]$. Finally $dq$ is the first key minus the second, divided by 2: $[0,\ 1,\ -2,\ 0]$. And
# $dK$ has the rows $[1, 0, 0, 0]$ and $[-1, 0, 0, 0]$.
#
# ![Left: a flow chart. Forwards, q and k go to the scores S, then to the weights P, then with v to the
# output O. Backwards, red arrows go from dO to dv and dP, from dP to dS, and from dS to dq and dk.
# Right: the error of the numeric derivative of x³ at x = 2, over the step size h, both logarithmic. Up
# to h = 0.1 forward differences have the error 6h and central differences only h². Below about
# h = 0.00001, the error of central differences grows again, because of
# rounding.](figures/attention_gradient.png)
#
# **Masks.** The weight of a blocked key is 0. What is its $ds$? The factor $p_j$ makes it 0 too. So the
# mask needs no step of its own on the way back. If no query may see a key, nothing depends on it: its
# rows in $dK$ and $dV$ are 0.
#
# **Is it right?** A gradient can be wrong, and the model still learns something. So test it. Change one
# entry of $x$ by a small $h$ in both directions, and see what the loss does. These are *central
# differences*:
#
# $$\frac{\partial f}{\partial x_i} \approx \frac{f(x + h e_i) - f(x - h e_i)}{2h}.$$
#
# $e_i$ has a 1 at entry $i$ and 0 elsewhere. One such pair of calls is needed for each entry. This is
# far too slow for training, but it needs no formula that could be wrong.
#
# **Why in both directions?** Take $f(x) = x^3$ with the derivative $3x^2$. Forward differences,
# $(f(x + h) - f(x))/h$, give $3x^2 + 3xh + h^2$. Central differences give $3x^2 + h^2$. For $x = 2$ and
# $h = 0.01$, the first error is $0.0601$, and the second is $0.0001$.
#
# **Does a smaller $h$ always help?** No. Numbers have about 16 digits, and $f(x + h)$ and $f(x - h)$
# agree in more and more of them. Their difference keeps only the rest. A figure of the error over $h$
# shows both: on logarithmic axes, $h^2$ is a line with the slope 2. To its left, the error grows again.
# If the gradient itself is wrong, the curve does not fall towards 0. It becomes level.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write four functions. What is graded:
#
# - **Softmax.** `softmax_backward` follows the formula, for each row alone. A row is on the last axis.
# - **Values.** `attention_backward` returns `dq`, `dk` and `dv` in this order. `dv` follows the formula.
# - **Queries and keys.** `dq` and `dk` follow the formulas, with the factor $1/\sqrt d$ in both. $d$ is
#   the number of columns of `k`.
# - **Mask.** `mask` is true where a query may attend. It may be `None`: then all keys are allowed. Rows of
#   `dk` and `dv` are 0 for a key that no query may see. Each query may see at least one key.
# - **Any axes.** All arrays may have batch axes in front, the same in each: `(..., L_q, d)`. The mask is
#   `(L_q, L_k)`, or has these batch axes too. `L_q`, `L_k`, `d` and the number of columns of `v` may all
#   differ. A row for `softmax_backward` may be an array with one axis.
# - **Large scores.** Scores may be as large as ±1,000. No result has NaN or $\infty$ there.
# - **Central differences.** `numeric_gradient` follows the formula for each entry, with the step `h`. It
#   returns an array of the shape of `x`. `f` takes an array of this shape and returns one number.
# - **Any array.** `x` may have any number of axes, none included: it may be a NumPy scalar such as
#   `np.float64(2)`, or an array with the shape `()`. Its entries may be whole numbers, in an array of
#   integers.
# - **x stays.** After `numeric_gradient`, all entries of `x` are exactly what they were before. The same
#   goes for the arguments of the other functions.
# - **Error curve.** `plot_error` draws one curve: for each step size, the largest absolute difference
#   between `numeric_gradient(f, x, h)` and `gradient`, which may be a wrong one. The step sizes are on
#   the x axis. Draw the curve with matplotlib's `plot`, `loglog` or `scatter`.
# - **Logarithmic axes and labels.** Both axes are logarithmic and have labels, and the figure has a
#   title. You choose the words.
# - **No side effects.** No result or figure depends on earlier calls.
#
# A wrong function costs points only once: `attention_backward` is right if it is right for your
# `softmax_backward`, and `plot_error` is right if it is right for your `numeric_gradient`. Some tests use
# inputs that are made to show a mistake, such as an `h` as large as 0.5.


# %%
def softmax_backward(p, dp):
    """Return the gradient of the scores, from that of the weights.

    p: (..., L), the weights. Each row is the softmax of a row of scores.
    dp: (..., L), the gradient of the weights.
    Returns an array of the shape of p.
    """
    ### BEGIN SOLUTION
    return p * (dp - (p * dp).sum(axis=-1, keepdims=True))
    ### END SOLUTION


# %%
def attention_backward(q, k, v, mask, do):
    """Return the gradients of the queries, keys and values: (dq, dk, dv).

    q: (..., L_q, d).
    k: (..., L_k, d).
    v: (..., L_k, d_v).
    mask: (L_q, L_k) or (..., L_q, L_k), true where a query may attend.
        None allows every key.
    do: (..., L_q, d_v), the gradient of the output.
    dq, dk and dv have the shapes of q, k and v.
    """
    ### BEGIN SOLUTION
    root = np.sqrt(k.shape[-1])
    scores = q @ k.swapaxes(-1, -2) / root
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = exponentials / exponentials.sum(axis=-1, keepdims=True)
    dv = p.swapaxes(-1, -2) @ do
    ds = softmax_backward(p, do @ v.swapaxes(-1, -2))
    return ds @ k / root, ds.swapaxes(-1, -2) @ q / root, dv
    ### END SOLUTION


# %%
def numeric_gradient(f, x, h=1e-5):
    """Return the gradient of f at x by central differences.

    f: a function. It takes an array of the shape of x and returns one number.
    x: an array of any shape, or a NumPy scalar.
    h: the step.
    Returns an array of the shape of x.
    """
    ### BEGIN SOLUTION
    x = np.array(x, dtype=float)  # a copy, so the caller's array stays as it is
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        gradient[place] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient
    ### END SOLUTION


# %%
def plot_error(f, gradient, x, steps):
    """Return a figure with the error of numeric_gradient over the step size.

    f, x: as in numeric_gradient.
    gradient: the gradient to compare with, of the shape of x, or a number.
    steps: (n,), the step sizes.
    Both axes are logarithmic. The figure has labels on both axes and a title.
    Returns the matplotlib figure.
    """
    ### BEGIN SOLUTION
    errors = [np.abs(numeric_gradient(f, x, h) - gradient).max() for h in steps]
    figure, axes = plt.subplots(layout="constrained")
    axes.loglog(steps, errors, marker="o")
    axes.set(xlabel="step h", ylabel="largest error", title="Error of central differences")
    return figure
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# `ds` should be `[0, -1, 1]`, and the three gradients those of the second example by hand. The numeric
# derivative of $x^3$ at 2 should be 12.0001. Then the numeric gradient tests `dq` of a random attention:
# the difference should be smaller than $10^{-8}$. At which step is the error in the picture the smallest?

# %%
if __name__ == "__main__":
    p, dp = np.array([0.5, 0.25, 0.25]), np.array([4.0, 0.0, 8.0])
    print("weighted mean:", p @ dp)
    try:
        print("ds:", softmax_backward(p, dp))
        q, k = np.array([[2.0, 0, 0, 0]]), np.array([[1.0, 2, 0, 0], [1, 0, 4, 0]])
        v = np.array([[4.0], [0]])
        dq, dk, dv = attention_backward(q, k, v, None, np.ones((1, 1)))
        print("dq:", dq, " dk:", np.asarray(dk).tolist(), " dv:", np.asarray(dv).tolist())
        print("derivative of x³ at 2:", numeric_gradient(lambda x: x**3, np.float64(2), h=0.01))

        q, k, v, do = np.random.default_rng(0).normal(size=(4, 5, 3))

        def loss(q):
            exponentials = np.exp(q @ k.T / np.sqrt(3))
            return ((exponentials / exponentials.sum(axis=-1, keepdims=True)) @ v * do).sum()

        dq = attention_backward(q, k, v, None, do)[0]
        print("largest difference in dq:", np.abs(numeric_gradient(loss, q) - dq).max())
        plot_error(lambda x: x**3, 12.0, np.float64(2), 10.0 ** np.arange(-12, 0))
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# - The gradients of attention, row by row and as matrices: appendix B.2 of [Dao et al.,
#   *FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness*
#   (2022)](https://arxiv.org/abs/2205.14135). There the weighted mean $\sum_m P_{im}\, dP_{im}$ is
#   computed as $\sum_c O_{ic}\, dO_{ic}$, which is the same number and needs no row of weights.
# - Gradients that are propagated backwards, from step to step: [Rumelhart, Hinton and Williams, *Learning
#   representations by back-propagating errors* (1986)](https://doi.org/10.1038/323533a0).
# - Forward and central differences, and their two kinds of error: section 2.1 of [Baydin et al.,
#   *Automatic Differentiation in Machine Learning: a Survey* (2018)](https://arxiv.org/abs/1502.05767).
#
# ## Further reading
#
# - A well-known library in which the softmax passed its gradient on without a change:
#   [darknet #96](https://github.com/pjreddie/darknet/pull/96).
# - [torch.autograd.gradcheck](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html)
#   tests gradients with small differences, too.
