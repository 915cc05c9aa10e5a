# mistake: rms_norm divides x in place, and pre_norm adds in place to what f returns
import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + b


def rms_norm(x, g, eps=1e-5):
    x /= np.sqrt((x**2).mean(-1, keepdims=True) + eps)
    return g * x


def swiglu(x, W, V, W2):
    z = x @ W
    return (z * 0.5 * (1 + np.tanh(z / 2)) * (x @ V)) @ W2


def pre_norm(x, f, norm):
    result = f(norm(x))
    result += x
    return result
