# %% [markdown]
# # Where is a token? Positions as sines and cosines
#
# *About 40 minutes. Needs NumPy's broadcasting, matrix products, and plotting with matplotlib.*
#
# "The dog bit the man" and "the man bit the dog" have the same tokens. What does attention see of
# their order? Nothing: a weight depends on one query and one key, and on no position. If you shuffle
# the tokens, then the outputs are shuffled in the same way, and no number changes.
#
# So a transformer adds a vector to each embedding, and this vector says where the token stands. The
# plain number $i$ would be simple. Why not use it? It grows with the length of the text, and soon it
# is far larger than the embeddings.
#
# **Clock hands.** A clock tells thousands of seconds apart with numbers that never grow: a fast hand
# turns once per minute, a slow hand once per hour. Here each hand is a pair of columns. Pair $j$
# turns by the angle $\omega_j$ per position, and it shows its angle as a sine and a cosine:
#
# $$\mathrm{PE}[i, 2j] = \sin(i\,\omega_j), \qquad \mathrm{PE}[i, 2j+1] = \cos(i\,\omega_j), \qquad
# \omega_j = \mathrm{base}^{-2j/d}.$$
#
# Row $i$ belongs to position $i$, counted from 0. Both columns of a pair have the same frequency
# $\omega_j$. The first pair has $\omega_0 = 1$; every later pair turns more slowly.
#
# **By hand.** Let $d = 4$ and $\mathrm{base} = 100$. The frequencies are $\omega_0 = 100^0 = 1$ and
# $\omega_1 = 100^{-2/4} = 0.1$. Position 0 gives $[0,\ 1,\ 0,\ 1]$. Position 1 gives
# $[\sin 1,\ \cos 1,\ \sin 0.1,\ \cos 0.1] = [0.841,\ 0.540,\ 0.100,\ 0.995]$, and position 2 gives
# $[0.909,\ -0.416,\ 0.199,\ 0.980]$.
#
# ![Left: two clock faces, one for each pair of columns of the example, with hands for the positions
# 0 to 3. The hand of pair 0 turns by 1 radian per position, the hand of pair 1 by 0.1 radian. Right:
# the similarity of two positions as a curve over their distance. It is 0.5 at distance 0, equal for
# a distance to the left and to the right, and smaller at larger distances, with small
# waves.](figures/positions.png)
#
# **How similar are two positions?** Take the dot product of their rows. One pair contributes
#
# $$\sin(i\omega)\sin(k\omega) + \cos(i\omega)\cos(k\omega) = \cos((i - k)\,\omega).$$
#
# For even $d$, every column is in a pair. So the dot product depends only on the distance $i - k$,
# wherever the two positions are. In the example, positions 0 and 1 have the dot product
# $\cos 1 + \cos 0.1 = 1.535$. Do positions 1 and 2 have the same one? Check it with the rows above.
#
# In this exercise, the similarity is the dot product divided by $d$, so $1.535 / 4 = 0.384$. For
# even $d$, a position has the similarity $0.5$ to itself, since $\sin^2 + \cos^2 = 1$ in each of
# the $d/2$ pairs.
#
# For odd $d$, the last sine has no cosine beside it, and the similarity also depends on the
# positions themselves.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. What is graded:
#
# - **Sines and cosines.** `sinusoid` puts the sine of pair $j$ into column $2j$ and its cosine into
#   column $2j + 1$, as in the formula. Row 0 is position 0.
# - **Frequencies.** Both columns of a pair have the frequency $\mathrm{base}^{-2j/d}$.
# - **Odd widths.** $d$ may be odd. Then the last column is a sine. Its frequency follows the same
#   formula.
# - **Base.** `base` may be any number above 1, such as 100. It is passed by name or as the third
#   argument. Without it, the base is 10,000.
# - **Similarity.** `similarity` divides the dot product of each two rows by the number of columns.
#   The rows may be any numbers; they need not come from `sinusoid`.
# - **Heat map.** `plot_positions` draws one image. Row `i` of `pe` is at `i` on the y axis, and
#   column `c` at `c` on the x axis. The image shows the values of `pe` unchanged, in colours that
#   tell them apart. Position 0 may be at the top or at the bottom, if the numbers on the axis agree.
# - **Labels.** The x axis has a label for the columns, and the y axis a label for the positions.
#   There are a title and a colour bar. You choose the words.
# - **Sizes.** $n$ and $d$ are at least 1. $n$ may be some hundreds, and need not be related to $d$.
# - **No side effects.** No function changes its arguments, and no result or figure depends on
#   earlier calls: draw each figure on new axes.
#
# Some tests use inputs that are made to show a mistake: for $d = 2$, for example, all frequencies
# are 1, so a wrong exponent shows only for larger $d$.


# %%
def sinusoid(n, d, base=10000.0):
    """Return the vectors of the positions 0 to n − 1, one in each row: (n, d).

    n: the number of positions.
    d: the number of columns, even or odd.
    base: the number whose powers are the frequencies.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def similarity(pe):
    """Return the dot product of each two rows, divided by the number of columns.

    pe: (n, d).
    Returns (n, n): entry [i, k] compares the rows i and k.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def plot_positions(pe):
    """Return a figure with a heat map of pe.

    pe: (n, d); row i is drawn at y = i, column c at x = c.
    The figure has labels on both axes, a title and a colour bar.
    Returns the matplotlib figure.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The first rows should be those of the example by hand. In the similarities, each diagonal should
# have only one value: 0.5, then 0.384. Then look at the heat map of 64 positions. Where do neighbours
# hardly differ?

# %%
if __name__ == "__main__":
    print("positions 0 to 2, for d = 4 and base = 100:")
    try:
        rows = sinusoid(3, 4, base=100)
        print(np.round(rows, 3))
        print("similarities:\n", np.round(similarity(rows), 3))
        plot_positions(sinusoid(64, 32))
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check positions
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.5 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) defines these vectors. The authors chose them because the
# vector at $i + k$ is a linear function of the vector at $i$: each pair is turned by $k\,\omega_j$.
# The exercise `rotary` turns queries and keys in the same way.
#
# ## Further reading
#
# - [Gehring et al., *Convolutional Sequence to Sequence Learning*
#   (2017)](https://arxiv.org/abs/1705.03122), section 3.1: vectors of positions that are learned.
# - [matplotlib.pyplot.imshow](https://matplotlib.org/stable/api/_as_gen/matplotlib.pyplot.imshow.html):
#   where the rows and columns of an image are drawn.
