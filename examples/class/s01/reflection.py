# %% [markdown]
# # In your own words

# %% [markdown] answer="why_scale"
# The dot product adds up d_k products. When d_k is big the sums are big too, about sqrt(d_k) for random
# vectors with unit variance, so the softmax puts almost everything on one key and its gradient is
# nearly zero. Dividing by sqrt(d_k) keeps the spread at 1. Dividing by d_k would make it too small.

# %% [markdown] answer="attention_or_recurrence"
# An RNN passes everything through one state, step after step, so far words are forgotten and nothing can
# run in parallel. With attention each word looks at each other word directly and all at once. The cost
# is L times L scores, so double the text and it takes four times the memory and time.

# %% [markdown] answer="what_it_means"
# The query vector of "it" is compared with the keys of all words. "animal" has the best match because
# tired goes with animals, so its weight is the largest and its value is what mostly ends up in the
# new vector of "it". If it said wide, then street would match better.

