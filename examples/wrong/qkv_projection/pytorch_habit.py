# mistake: the matrices transposed, as nn.Linear stores them
def linear(x, weight):
    return x @ weight.T


def project_qkv(X, W_Q, W_K, W_V):
    return linear(X, W_Q), linear(X, W_K), linear(X, W_V)
