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
### BEGIN SOLUTION
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1 = nn.Linear(d_model, d_ff, bias=False)
        self.w2 = nn.Linear(d_ff, d_model, bias=False)
        self.w3 = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x):
        return self.w2(torch.nn.functional.silu(self.w1(x)) * self.w3(x))
### END SOLUTION


own_y = None
### BEGIN SOLUTION
own_y = OWN["W3"] * OWN["x"] * OWN["x"] / (1 + 2.718281828 ** -OWN["x"])
### END SOLUTION
