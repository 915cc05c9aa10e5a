import numpy as np


def project_qkv(X, W_Q, W_K, W_V):
    X = X.astype(np.float32)
    results = {}
    for name, W in {"Q": W_Q, "K": W_K, "V": W_V}.items():
        results[name] = np.dot(X, W.astype(np.float32))
    return results["Q"], results["K"], results["V"]
