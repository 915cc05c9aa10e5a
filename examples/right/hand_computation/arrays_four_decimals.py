import numpy as np

a_scores = np.array([[1, 1], [1, 0]])
a_scaled = np.array([[0.7071, 0.7071], [0.7071, 0]])
a_weights = np.array([[0.5, 0.5], [0.6698, 0.3302]])
a_output = np.array([[1.5, 1.5], [1.6698, 1.3302]])
b_scores = np.array([[1, 1, 2], [1, 1, 1], [1, 1, 1]])
b_scaled = b_scores * 0.5
b_weights = np.array([[0.2741, 0.2741, 0.4519], [0.3333] * 3, [0.3333] * 3])
b_output = np.array([[1.0, 1.0, 1.1778, 1.1778], [1] * 4, [1] * 4])
c_scores = np.array([[1.93, 1.09, 1.08], [1.09, 1.07, 0.55], [1.08, 0.55, 0.98]])
c_scaled = c_scores / 2
c_weights = np.exp(c_scaled) / np.exp(c_scaled).sum(1)[:, None]
c_output = c_weights @ np.array([[1.0, 0.5, 0.2, 0.8], [0.3, 0.9, 0.1, 0.4], [0.6, 0.2, 0.7, 0.3]])
c_masked_row = np.array([0.3158, 0.4263, 0.2585, 0])
