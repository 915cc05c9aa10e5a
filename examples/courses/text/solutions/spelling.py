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
    ### BEGIN SOLUTION
    row = range(len(b) + 1)
    for i, letter in enumerate(a):
        before, row = row, [i + 1]
        for j, other in enumerate(b):
            row.append(min(before[j + 1] + 1, row[j] + 1, before[j] + (letter != other)))
    return row[-1]
    ### END SOLUTION


# %%
def closest(word, known):
    """The nearest of the known words, of which there is one at least."""
    ### BEGIN SOLUTION
    return min(known, key=lambda each: edit_distance(word, each))
    ### END SOLUTION


# %%
def corrected(text, known):
    """The words of the text with one blank between, each by the nearest word that is known."""
    ### BEGIN SOLUTION
    return " ".join(closest(word, known) for word in text.split())
    ### END SOLUTION
