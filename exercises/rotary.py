# %% [markdown]
# # Positions as rotations
#
# *About 50 minutes. Needs sines, cosines and broadcasting, scaled scores, and `positions`.*
#
# In `positions`, a vector that says where a token stands is *added* to its embedding. So one vector
# holds two things: what a token is, and where it stands. Can queries and keys carry the position
# without a change of their lengths? Yes: turn them. A token at position $p$ turns its query and its
# key by an angle that is proportional to $p$. This is called rotary position embedding, or RoPE.
#
# **One pair.** Take a vector with two features, $[a, b]$, and draw it as an arrow. To turn it by the
# angle $\varphi$, counterclockwise, means
#
# $$[a, b] \;\to\; [\,a\cos\varphi - b\sin\varphi,\ \ a\sin\varphi + b\cos\varphi\,].$$
#
# The length stays the same. What happens if you use the new first feature to compute the second one?
# Then it is no rotation: both results need the old $a$ and the old $b$.
#
# **By hand.** Let each position turn the arrow by a quarter turn, $\varphi = p \cdot \pi/2$. Then the
# query $q = [3, 4]$ becomes $[-4, 3]$ at position 1, and $[-3, -4]$ at position 2. The key
# $k = [1, 2]$ stays as it is at position 0, and becomes $[-2, 1]$ at position 1. Compare two scores:
#
# - query at 1, key at 0: $[-4, 3] \cdot [1, 2] = -4 + 6 = 2$;
# - query at 2, key at 1: $[-3, -4] \cdot [-2, 1] = 6 - 4 = 2$.
#
# They are equal. A dot product depends on two lengths and on the angle between the arrows. If both
# positions grow by one, then both arrows turn by the same amount, and the angle between them stays. So
# **the score depends on the distance of the two positions only**, wherever they are.
#
# **Many pairs.** A vector with $d$ features has $d/2$ pairs, and each pair turns at its own speed. The
# speeds are those of the sines in `positions`: pair $j$ turns by
#
# $$\varphi = p\,\omega_j, \qquad \omega_j = \mathrm{base}^{-2j/d}, \qquad j = 0, 1, \dots, d/2 - 1.$$
#
# For $d = 4$ and $\mathrm{base} = 100$, the speeds are $1$ and $0.1$ radian per position. Position 3
# has the angles $[3, 0.3]$.
#
# ![Left: two circles with arrows. In the first, the query at position 1 is −4, 3 and the key at
# position 0 is 1, 2. In the second, both positions are larger by one, and both arrows are turned by a
# quarter turn, to −3, −4 and −2, 1. The angle between them is the same, and so is the dot product, 2.
# Right: six features as a row of cells, with a colour for
# each pair. In this exercise features 0 and 1, 2 and 3, 4 and 5 are pairs. In other models features
# 0 and 3, 1 and 4, 2 and 5 are pairs.](figures/rotary.png)
#
# **Which features form a pair?** Here neighbours do: the features $2j$ and $2j + 1$. This is the
# published form. Other models pair the feature $j$ with the feature $j + d/2$, which works as well:
# the features are only in another order. But both conventions in one program give a wrong result: if
# the angles are laid out for one of them and the features are paired by the other, then a pair is
# turned by two different angles, and the scores depend on more than the distance. No error is
# raised, and the model is only worse.
#
# **Which axis has the positions?** The one before the features: $x$ has the shape `(..., L, d)`, and
# heads are in front of $L$. If there are as many heads as tokens, code that takes the heads for
# positions raises no error either.
#
# **Offset.** A model that writes a text keeps the keys of all earlier tokens, and has queries only for
# the new ones. Say that four tokens are there, and a fifth is new. There are five keys and one query.
# Where does the query stand? Not at position 0: it has the *offset* 4. If the offset is forgotten, then
# every new token takes itself for the first.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. What is graded:
#
# - **Angles.** `angles` gives $p\,\omega_j$ for each position $p$ and each pair $j$, in radians.
# - **Positions.** The positions may be any whole numbers, in any order, such as `[7, 3, 3]`. They may
#   also be an array with more axes, `(..., L)`.
# - **Base.** `base` may be any number above 1. It is passed by name or as the third argument. Without
#   it, the base is 10,000.
# - **Odd widths.** If $d$ is odd, `angles` raises a `ValueError`, and its message contains $d$.
# - **Rotation.** `rotate` turns each pair counterclockwise by its angle, as in the formula. The angles
#   may be any numbers; they need not come from `angles`.
# - **Pairs.** The features $2j$ and $2j + 1$ form pair $j$, and stay in their places.
# - **Heads.** The angles broadcast as in NumPy: angles of the shape `(L, d/2)` serve all sequences and
#   heads of `x`, and angles of the shape `(B, 1, L, d/2)` serve all heads of their sequence.
# - **Relative positions.** For queries and keys that are turned by your own `angles` and `rotate`, dot
#   products stay the same if all positions grow by the same number.
# - **Scores.** `rotary_scores` turns queries and keys by their positions, with base 10,000, and
#   divides the dot products by $\sqrt d$. Nothing is masked.
# - **Offset.** Query $i$ has the position `offset` + $i$, and key $j$ the position $j$. There may be
#   more or fewer queries than keys. `offset` is passed by name or as the third argument.
# - **Sizes.** Any number of batch axes may be in front, also none. $d$ is at least 2; `rotate` and
#   `rotary_scores` get only even $d$.
# - **No side effects.** No function changes its arguments, and no result depends on earlier calls.
#
# Some tests use inputs that are made to show a mistake: as many heads as tokens, for example, or
# positions that do not begin with 0.


# %%
def angles(positions, d, base=10000.0):
    """Return the angle of each pair at each position, in radians.

    positions: (..., L), a list or an array of whole numbers.
    d: the number of features, even.
    base: the number whose powers are the frequencies.
    Returns (..., L, d/2). Raises ValueError if d is odd.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def rotate(x, angles):
    """Return x with each pair of features turned by its angle.

    x: (..., L, d).
    angles: (L, d/2), or more axes that broadcast to the axes of x.
    Returns an array of the shape of x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def rotary_scores(q, k, offset=0):
    """Return the scaled scores of turned queries and keys.

    q: (..., L_q, d); query i is at position offset + i.
    k: (..., L_k, d); key j is at position j.
    Returns (..., L_q, L_k).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The angles should be those of the text, the turned query close to `[[-4, 3], [-3, -4]]`. In the last
# matrix all queries are equal and all keys are equal, so each diagonal should have only one value.

# %%
if __name__ == "__main__":
    q, k = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    print("query:", q, " key:", k)
    try:
        print("angles of position 3:", angles([3], 4, base=100))
        quarters = np.pi / 2 * np.array([[1], [2]])
        print("query at positions 1 and 2:\n", np.round(rotate(np.array([q, q]), quarters), 3))
        print("scores:\n", np.round(rotary_scores(np.tile(q, (3, 1)), np.tile(k, (3, 1))), 3))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check rotary
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# [Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding*
# (2021)](https://arxiv.org/abs/2104.09864), section 3.2: equation 13 is the rotation of one pair,
# equation 15 that of many pairs, and equation 16 shows that scores depend on the distance.
#
# ## Further reading
#
# - A model that mixed the two conventions for pairs:
#   [transformers #47328](https://github.com/huggingface/transformers/issues/47328).
# - Heads that were taken for positions:
#   [open_lm #4](https://github.com/mlfoundations/open_lm/issues/4).
# - A cache that forgot the offset:
#   [rotary-embedding-torch #11](https://github.com/lucidrains/rotary-embedding-torch/issues/11).
