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
### BEGIN SOLUTION
class PriorityQueue:
    def __init__(self):
        self.entries = []

    def push(self, entry, number):
        self.entries.append((entry, number))

    def choose(self):
        return sorted(self.entries, key=lambda each: each[1])[0]

    def peek(self):
        return self.choose()[0]

    def pop(self):
        chosen = self.choose()
        self.entries.remove(chosen)
        return chosen[0]

    def __len__(self):
        return len(self.entries)
### END SOLUTION
