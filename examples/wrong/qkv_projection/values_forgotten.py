# mistake: the values are X itself
def project_qkv(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = X @ W_K
    return Q, K, X
