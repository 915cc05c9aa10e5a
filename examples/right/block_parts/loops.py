import math


def layer_norm(x, g, b, eps=1e-5):
    if x.ndim > 1:
        return [layer_norm(row, g, b, eps) for row in x]
    d = len(x)
    mean = sum(x) / d
    variance = sum((v - mean) ** 2 for v in x) / d
    return [g[i] * (x[i] - mean) / math.sqrt(variance + eps) + b[i] for i in range(d)]


def rms_norm(x, g, eps=1e-5):
    if x.ndim > 1:
        return [rms_norm(row, g, eps) for row in x]
    root = math.sqrt(sum(v * v for v in x) / len(x) + eps)
    return [gain * v / root for gain, v in zip(g, x)]


def sigma(z):
    if z < 0:
        return math.exp(z) / (1 + math.exp(z))
    return 1 / (1 + math.exp(-z))


def swiglu(x, W, V, W2):
    if x.ndim > 1:
        return [swiglu(row, W, V, W2) for row in x]
    gate, value = x @ W, x @ V
    hidden = [z * sigma(z) * v for z, v in zip(gate, value)]
    return [sum(h * W2[i, j] for i, h in enumerate(hidden)) for j in range(W2.shape[1])]


def pre_norm(x, f, norm):
    y = norm(x)
    y = f(y)
    return x + y
