from math import e, exp, sqrt

a_scores = [[1 * 1 + 0 * 1, 1 * 1 + 0 * 0], [0 * 1 + 1 * 1, 0 * 1 + 1 * 0]]
r = 1 / sqrt(2)
a_scaled = [[r, r], [r, 0]]
p = e**r / (e**r + 1)
a_weights = [[1 / 2, 1 / 2], [p, 1 - p]]
a_output = [[3 / 2, 3 / 2], [2 * p + (1 - p), p + 2 * (1 - p)]]
b_scores = [[1, 1, 2], [1, 1, 1], [1, 1, 1]]
b_scaled = [[x / 2 for x in row] for row in b_scores]
b_weights = [[exp(x) / sum(map(exp, row)) for x in row] for row in b_scaled]
V = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 1, 2, 2]]
b_output = [[sum(w * V[k][c] for k, w in enumerate(row)) for c in range(4)] for row in b_weights]
X = [[1.0, 0.5, 0.2, 0.8], [0.3, 0.9, 0.1, 0.4], [0.6, 0.2, 0.7, 0.3]]
c_scores = [[sum(x * y for x, y in zip(q, k)) for k in X] for q in X]
c_scaled = [[x / sqrt(4) for x in row] for row in c_scores]
c_weights = [[exp(x) / sum(map(exp, row)) for x in row] for row in c_scaled]
c_output = [[sum(w * X[k][c] for k, w in enumerate(row)) for c in range(4)] for row in c_weights]
total = exp(0.5) + exp(0.8) + exp(0.3)
c_masked_row = [exp(0.5) / total, exp(0.8) / total, exp(0.3) / total, 0.0]
