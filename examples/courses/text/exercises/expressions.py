# %% [markdown]
# # A small parser
#
# A parser finds the structure of a text. That of `1 + 2 * 3` is a sum of 1 and a product: the tree
# `["+", 1, ["*", 2, 3]]`.
#
# **By hand.** `8 - 3 - 2` is `(8 - 3) - 2`, which is 3, and never `8 - (3 - 2)`. Its tree is
# `["-", ["-", 8, 3], 2]`.

# %%
import re

# %% [markdown]
# ## Your task
#
# Write both functions. What is graded:
#
# - **Tokens.** They are whole numbers, `+ - * /` and brackets; blanks are none.
# - **Order.** `*` and `/` bind more than `+` and `-`; what binds equally goes from left to right.
# - **Errors.** Other characters, and whatever is no expression, are a `ValueError`.
# - **No side effects.** No result depends on earlier calls.


# %%
def split_tokens(text):
    """The numbers, signs and brackets of a text, as a list of strings, without blanks.

    Raises ValueError if any other character is in it.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def parse(text):
    """The tree of an expression: a whole number, or a list [sign, left tree, right tree].

    Raises ValueError if the text is no expression.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it

# %%
if __name__ == "__main__":
    print(parse("1 + 2 * 3"))
    print(parse("8 - 3 - 2"))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check expressions
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
