# %% [markdown]
# # A priority queue
#
# In a priority queue, the entry with the smallest number leaves first. Of entries with equal numbers, the
# one that came first leaves first.
#
# **By hand.** After `push("tea", 2)`, `push("call", 1)` and `push("mail", 2)`, three calls of `pop()` return
# `"call"`, `"tea"` and `"mail"`. A fourth raises an `IndexError`.
#
# ## Your task: the class `PriorityQueue`
#
# - **Order.** `push(entry, number)` adds an entry, and `pop()` removes and returns the next one.
# - **Look.** `peek()` returns the next entry, and `len(queue)` the number of entries. Neither changes anything.
# - **Empty.** `pop()` and `peek()` of an empty queue raise an `IndexError`.


# %%

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check priority_queue
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
