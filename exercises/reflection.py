# %% [markdown]
# # In your own words
#
# Three questions without code. A person reads your answers; the grader only sees whether there are
# any. A few sentences each are enough: say what happens *and why*, and use what you measured in the
# exercises before. Write in the cells that say so, in place of `YOUR ANSWER HERE`.

# %% [markdown]
# ## 1. Why are the scores divided by $\sqrt{d_k}$?
#
# What would happen without it when $d_k$ is large, first to the scores, then to the softmax, then to
# learning? And why the root, not $d_k$ itself? (4 points)

# %% [markdown] answer="why_scale"
# YOUR ANSWER HERE

# %% [markdown]
# ## 2. Attention against recurrent networks
#
# A recurrent network reads word by word and keeps one vector as its memory. What does attention do
# better, and what does it cost, in time and in memory, when the text gets longer? (4 points)

# %% [markdown] answer="attention_or_recurrence"
# YOUR ANSWER HERE

# %% [markdown]
# ## 3. How “it” finds its referent
#
# “The animal didn't cross the street because **it** was too tired.” What has to happen in the attention
# of a trained model, in terms of queries, keys, weights and values, so that the vector of “it” comes to
# speak of the animal? What changes if “tired” becomes “wide”? (4 points)

# %% [markdown] answer="what_it_means"
# YOUR ANSWER HERE

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check reflection`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
