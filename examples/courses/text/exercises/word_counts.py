# %% [markdown]
# # Counting words
#
# Nearly everything that a program does with a text begins with its words, and with how often each
# comes.
#
# **By hand.** In `Don't stop, don't!` there are three words: `don't` twice and `stop` once.

# %%
import re

# %% [markdown]
# ## Your task
#
# Write `count_words`. What is graded:
#
# - **Words.** A word is a run of the letters a to z, with apostrophes between letters (`don't` is one
#   word; the marks in `'so'` are none of it). All else stands between words.
# - **Capitals.** They make no difference.
# - **No side effects.** No result depends on earlier calls.


# %%
def count_words(text):
    """How often each word comes in a text.

    text: a string.
    Returns a dict: each word in small letters, and how often it comes.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it

# %%
if __name__ == "__main__":
    print(count_words("Don't stop, don't!"))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check word_counts
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
