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
    ### BEGIN SOLUTION
    if re.search(r"[^0-9+\-*/()\s]", text):
        raise ValueError(f"not an expression: {text!r}")
    return re.findall(r"\d+|[+\-*/()]", text)
    ### END SOLUTION


# %%
def parse(text):
    """The tree of an expression: a whole number, or a list [sign, left tree, right tree].

    Raises ValueError if the text is no expression.
    """
    ### BEGIN SOLUTION
    tokens = split_tokens(text)

    def operand():
        if tokens[:1] == ["("]:
            del tokens[0]
            inside = chain("+-", product)
            if tokens[:1] != [")"]:
                raise ValueError(f"a bracket is not closed: {text!r}")
            del tokens[0]
            return inside
        if not tokens:
            raise ValueError(f"a number is missing: {text!r}")
        return int(tokens.pop(0))

    def chain(signs, part):
        found = part()
        while tokens and tokens[0] in signs:
            found = [tokens.pop(0), found, part()]
        return found

    def product():
        return chain("*/", operand)

    tree = chain("+-", product)
    if tokens:
        raise ValueError(f"too much in {text!r}")
    return tree
    ### END SOLUTION


# %% [markdown]
# ## Try it

# %%
if __name__ == "__main__":
    print(parse("1 + 2 * 3"))
    print(parse("8 - 3 - 2"))
