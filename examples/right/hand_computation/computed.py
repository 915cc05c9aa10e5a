import numpy as np


def rows(x):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


a_scores = np.array([[1, 0], [0, 1]]) @ np.array([[1, 1], [1, 0]]).T
a_scaled = a_scores / np.sqrt(2)
a_weights = rows(a_scaled)
a_output = a_weights @ np.array([[2, 1], [1, 2]])
b_scores = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]) @ np.array(
    [[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]]
).T
b_scaled = b_scores / 2
b_weights = rows(b_scaled)
b_output = b_weights @ np.array([[2, 0, 1, 0], [0, 2, 0, 1], [1, 1, 2, 2]])
X = np.array([[1.0, 0.5, 0.2, 0.8], [0.3, 0.9, 0.1, 0.4], [0.6, 0.2, 0.7, 0.3]])
c_scores = X @ X.T
c_scaled = c_scores / 2
c_weights = rows(c_scaled)
c_output = c_weights @ X
c_masked_row = np.append(rows(np.array([[0.5, 0.8, 0.3]]))[0], 0)
