# %% [markdown]
# # Which word was meant
#
# Two words are as far apart as the letters that have to be put in, left out or exchanged to make
# one of the other. A spelling checker offers the nearest of the words that it knows.
#
# **By hand.** From `cart` to `card` one letter is exchanged: their distance is 1. From `art` to
# `cards` two are put in and one is exchanged: 3.
#
# Write three functions. What is graded:
#
# - **Distance.** `edit_distance` is the least number of such letters.
# - **Nearest word.** Of words that are equally near, `closest` takes the first of the list.
# - **Whole text.** `corrected` does so with each word of a text, whatever blanks are between.


# %%
def edit_distance(a, b):
    """How many letters have to be put in, left out or exchanged, at least, to make b of a."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def closest(word, known):
    """The nearest of the known words, of which there is one at least."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def corrected(text, known):
    """The words of the text with one blank between, each by the nearest word that is known."""
    # YOUR CODE HERE
    raise NotImplementedError()

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check spelling
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
