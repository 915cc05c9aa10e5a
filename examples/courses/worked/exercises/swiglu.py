# %% [markdown]
# # SwiGLU
#
# The feed-forward network of many language models multiplies two projections of its input, one of them
# after an activation (Shazeer, [GLU variants improve Transformer](https://arxiv.org/abs/2002.05202), eq. 6):
#
# $$y = W_2 \, (\mathrm{silu}(W_1 x) \odot W_3 x), \qquad \mathrm{silu}(z) = z / (1 + e^{-z})$$
#
# **By hand.** For $x = 2$ and $W_1 = 1$, $W_3 = 3$, $W_2 = 1$: $\mathrm{silu}(2) = 1.762$, and
# $y = 1.762 \cdot 6 = 10.570$.

# %%
import torch
from torch import nn

OWN = {"x": 3.0, "W1": 1.0, "W2": 1.0, "W3": 3.0}

# %% [markdown]
# ## Your task
#
# - **Formula.** The module `SwiGLU(d_model, d_ff)` returns $y$ for x of shape (..., d_model).
# - **Parts.** `w1`, `w3` (d_ff outputs) and `w2` (d_model outputs) are each an `nn.Linear` without bias.
# - **By hand.** `own_y` is the result for the numbers in `OWN`, computed by hand to three decimals.


# %%


own_y = None

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check swiglu
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
