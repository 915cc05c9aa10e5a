# %% [markdown]
# # Gram–Schmidt
#
# Column by column, Gram–Schmidt subtracts what points along the earlier columns, and divides the rest by
# its length: $q_k = r / \lVert r \rVert$ with $r = a_k - \sum_{j<k} (q_j \cdot a_k)\, q_j$.
#
# **By hand.** For $a_1 = (3, 4)$ and $a_2 = (1, 2)$: $q_1 = (0.6, 0.8)$, $q_1 \cdot a_2 = 2.2$,
# $r = (1, 2) - 2.2\, q_1 = (-0.32, 0.24)$, and $q_2 = (-0.8, 0.6)$.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# - **Orthonormal.** `gram_schmidt(A)` returns the matrix of all $q_k$. The columns of A are independent.


# %%
def gram_schmidt(A):
    """Return Q, as large as A. Its columns have length 1 and are orthogonal to each other."""
    ### BEGIN SOLUTION
    Q = np.zeros(A.shape)
    for k, a in enumerate(A.T):
        rest = a - Q @ (Q.T @ a)
        Q[:, k] = rest / np.linalg.norm(rest)
    return Q
    ### END SOLUTION
