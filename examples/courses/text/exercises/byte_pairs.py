# %% [markdown]
# # A tokenizer by byte pairs
#
# A tokenizer begins with single letters and makes one token of the two neighbours that come most
# often, again and again. What is frequent becomes short.
#
# **By hand.** In `abab` the pair `a b` comes twice and `b a` once. With `ab` in place of `a b` two
# tokens are left: `ab ab`.

# %% [markdown]
# ## Your task
#
# Write three functions. What is graded:
#
# - **Most frequent pair.** Of pairs that come equally often, the one that comes first in the text counts.
# - **Merging.** Pairs are merged from left to right, and no token twice: `aaa` becomes `aa a`.
# - **Learning.** `learn_merges` begins with single letters, and does both in turn.
# - **No side effects.** No function changes its arguments, and no result depends on earlier calls.


# %%
def most_frequent_pair(tokens):
    """The two neighbours that come most often, as a tuple; there are at least two tokens."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def merge(tokens, pair):
    """A new list of tokens, with one token in place of each such pair of neighbours."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def learn_merges(text, count):
    """The pairs that are merged, in order: `count` of them, or until one token is left."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it

# %%
if __name__ == "__main__":
    print(merge(list("abab"), ("a", "b")))
    print(learn_merges("low lower lowest", 3))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check byte_pairs
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
