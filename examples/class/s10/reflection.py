# %% [markdown]
# # In your own words

# %% [markdown] answer="why_scale"
# idk

# %% [markdown] answer="attention_or_recurrence"
# An RNN passes everything through one state, step after step, so far words are forgotten and nothing can
# run in parallel. With attention each word looks at each other word directly and all at once. The cost
# is L times L scores, so double the text and it takes four times the memory and time.

# %% [markdown] answer="what_it_means"
# YOUR ANSWER HERE

