# %% [markdown]
# # The parts of a block: normalisation, gate and residual
#
# *About 45 minutes. Needs averages along an axis, matrix products, and functions as arguments.*
#
# Attention mixes tokens, and then other parts work on each token alone. A model repeats this dozens of
# times. Suppose that each of fifty layers makes a vector three times longer. How long is it at the end?
# $3^{50} \approx 7 \cdot 10^{23}$ times as long as before. So each layer first brings the vector of a
# token back to a standard size.
#
# **Layer norm.** Take the $d$ features of one token. Subtract their mean $\mu$, and divide by their
# standard deviation. Then multiply each feature by its own gain $g$, and add its own shift $b$:
#
# $$\mathrm{layer\_norm}(x) = g \circ \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b, \qquad
# \mu = \frac1d \sum_i x_i, \qquad \sigma^2 = \frac1d \sum_i (x_i - \mu)^2.$$
#
# The sign $\circ$ multiplies entry by entry. The gain and the shift are learned. Other tokens play no
# role: each token has its own mean and its own variance.
#
# **By hand.** Let $x = [1, 7]$. The mean is 4, the deviations are $[-3, 3]$, and their squares have
# the mean 9. So the standard deviation is 3, and the result is $[-1, 1]$. With $g = [2, 10]$ and
# $b = [0, 5]$ it is $[-2, 15]$.
#
# **Divide by $d$ or by $d - 1$?** Statistics knows both. Here the sum is divided by $d$: the variance
# describes these $d$ numbers, and it estimates nothing. For $d = 512$ the choice hardly matters. For
# $[1, 7]$, a division by $d - 1 = 1$ gives the variance 18 and the result $[-0.707, 0.707]$. Public
# code has had this mistake for years, because large vectors hide it.
#
# **RMS norm.** Is the mean needed at all? RMS norm leaves it out, and the shift too. It divides by the
# root of the mean square:
#
# $$\mathrm{rms\_norm}(x) = g \circ \frac{x}{\sqrt{\tfrac1d \sum_i x_i^2 + \varepsilon}}.$$
#
# For $x = [1, 7]$ the mean square is $(1 + 49)/2 = 25$, so $x$ is divided by 5: $[0.2, 1.4]$.
#
# ![Left: three number lines. The features of one token are 1 and 7. After layer norm they are −1 and
# 1, on both sides of 0. After RMS norm they are 0.2 and 1.4, and their ratio is still 7. Right: two
# flow charts with these numbers. In both, f doubles its input. Pre-norm: norm turns the token 1, 7
# into −1, 1, and f turns this into −2, 2. The token is added, which gives −1, 9. Post-norm: f turns
# the token into 2, 14. The token is added, which gives 3, 21. Then norm gives −1, 1.](figures/block_parts.png)
#
# **What is $\varepsilon$ for?** If all features of a token are equal, their variance is 0. The small
# number $\varepsilon$ prevents a division by 0. It is *inside* the root. For ordinary vectors you
# cannot see where it is. But take $x = [-0.0001,\ 0.0001]$ and $\varepsilon = 10^{-5}$: inside,
# the divisor is $\sqrt{10^{-8} + 10^{-5}} = 0.00316$. Outside, it would be
# $0.0001 + 0.00001 = 0.00011$, which makes the result 29 times larger.
#
# **A gate.** After attention, each token goes through two matrices with something non-linear between
# them. Many models multiply two copies of the token here, and one copy decides how much of the other
# passes:
#
# $$\mathrm{swiglu}(x) = \bigl(\mathrm{silu}(xW) \circ xV\bigr)\, W_2, \qquad
# \mathrm{silu}(z) = z\,\sigma(z), \qquad \sigma(z) = \frac{1}{1 + e^{-z}}.$$
#
# **By hand.** Let $x = [1, 2]$, with one hidden feature: $W = [[1], [0]]$, $V = [[1], [1]]$ and
# $W_2 = [[1, 2]]$. Then $xW = 1$ and $xV = 3$. The gate is $\mathrm{silu}(1) = 0.731$, so
# $0.731 \cdot 3 = 2.193$ passes, and the result is $[2.193,\ 4.386]$.
#
# **What is $\sigma(1000)$?** Almost exactly 1. But the formula $e^z / (1 + e^z)$ divides infinity by
# infinity there, which gives NaN. The formula $1 / (1 + e^{-z})$ is right at 1000, and at $-1000$ its
# exponential overflows with a warning. Which formula takes exponentials of negative numbers only?
# That depends on the sign of $z$.
#
# **The residual.** A part $f$ (attention or the gate) does not replace a token's vector. Its result is
# added to it. Where does the normalisation go? The first transformers used *post-norm*,
# $\mathrm{norm}(x + f(x))$. Most later ones use *pre-norm*:
#
# $$\mathrm{pre\_norm}(x) = x + f(\mathrm{norm}(x)).$$
#
# Then $x$ itself passes through all layers without a change, and only what $f$ sees is normalised. For
# the example in the figure, $f$ doubles its argument and $x = [1, 7]$:
# $[1, 7] + 2 \cdot [-1, 1] = [-1, 9]$. What would be lost with $\mathrm{norm}(x) + f(\mathrm{norm}(x))$?

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write four functions. What is graded:
#
# - **Layer norm.** `layer_norm` follows the formula, for each token alone. The variance is divided by
#   $d$. `g` and `b` have one entry per feature.
# - **RMS norm.** `rms_norm` follows the formula, for each token alone. No mean is subtracted.
# - **Epsilon.** `eps` is added inside the root. It is passed by name, and its default is $10^{-5}$.
# - **Gate.** `swiglu` follows the formula. There are no biases. The number of hidden features need not
#   be $d$.
# - **Large numbers.** Entries of $xW$ may be as large as ±1,000. The result has no NaN and no infinity
#   there.
# - **No overflow.** For these large entries, NumPy gives no warning either: one test turns NumPy's
#   warnings into errors. (Code with `np.errstate` may silence a warning that does no harm.)
# - **Pre-norm.** `pre_norm` returns `x + f(norm(x))`. Both `f` and `norm` take one array and return one
#   of the same shape.
# - **One call each.** `pre_norm` calls `f` once and `norm` once.
# - **Any axes.** `x` may have any number of axes. The last axis has the features, also if `x` has no
#   other axis. $d$ is at least 2.
# - **No side effects.** No function changes its arguments, and no result depends on earlier calls.
#   This is also so if `f` or `norm` returns the very array that it was given.
#
# Some tests use inputs that are made to show a mistake: rows with two features, or vectors as small as
# 0.0001.


# %%
def layer_norm(x, g, b, eps=1e-5):
    """Return x with each token normalised, times the gain, plus the shift.

    x: (..., d), with the features on the last axis.
    g, b: (d,), the gain and the shift.
    eps: is added to the variance.
    Returns an array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def rms_norm(x, g, eps=1e-5):
    """Return x with each token divided by its root mean square, times the gain.

    x: (..., d), with the features on the last axis.
    g: (d,), the gain.
    eps: is added to the mean square.
    Returns an array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def swiglu(x, W, V, W2):
    """Return (silu(x W) ∘ x V) W2.

    x: (..., d).
    W, V: (d, hidden).
    W2: (hidden, d).
    Returns an array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def pre_norm(x, f, norm):
    """Return x + f(norm(x)).

    x: (..., d).
    f, norm: functions. Each takes one array and returns one of the same shape.
    Returns a new array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# Layer norm of `[1, 7]` should be close to `[-1, 1]`, RMS norm close to `[0.2, 1.4]`, the gate
# `[2.193, 4.386]`, and the pre-norm residual close to `[-1, 9]`.

# %%
if __name__ == "__main__":
    x, ones, zeros = np.array([1.0, 7.0]), np.ones(2), np.zeros(2)
    print("x:", x)
    try:
        print("layer norm:", layer_norm(x, ones, zeros))
        print("RMS norm:", rms_norm(x, ones))
        column, both = np.array([[1.0], [0.0]]), np.array([[1.0], [1.0]])
        print("gate:", swiglu(np.array([1.0, 2.0]), column, both, np.array([[1.0, 2.0]])))
        print("residual:", pre_norm(x, lambda h: 2 * h, lambda h: layer_norm(h, ones, zeros)))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check block_parts
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# - Layer norm: [Ba, Kiros and Hinton, *Layer Normalization*
#   (2016)](https://arxiv.org/abs/1607.06450), equation 3. It has no
#   $\varepsilon$; the formula above is that of
#   [torch.nn.LayerNorm](https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html).
# - RMS norm: [Zhang and Sennrich, *Root Mean Square Layer Normalization*
#   (2019)](https://arxiv.org/abs/1910.07467), equation 4.
# - The gate: [Shazeer, *GLU Variants Improve Transformer* (2020)](https://arxiv.org/abs/2002.05202),
#   equation 6.
# - Pre-norm and post-norm: [Xiong et al., *On Layer Normalization in the Transformer Architecture*
#   (2020)](https://arxiv.org/abs/2002.04745): with pre-norm, the gradients of deep models are well
#   behaved from the first step.
#
# ## Further reading
#
# - A pull request that corrects the variance of a well-known implementation:
#   [annotated-transformer #119](https://github.com/harvardnlp/annotated-transformer/pull/119).
# - An RMS norm that changes its argument, and so the residual:
#   [nano-vllm #170](https://github.com/GeeeekExplorer/nano-vllm/issues/170).
