# mistake: (K, Q, V) in place of (Q, K, V)
def project_qkv(X, W_Q, W_K, W_V):
    keys, queries, values = (X @ W for W in (W_K, W_Q, W_V))
    return keys, queries, values
