def project_qkv(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = X @ W_Q
    V = X @ W_V
    return Q, K, V
