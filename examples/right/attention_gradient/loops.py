import math

import matplotlib.pyplot as plt
import numpy as np


def softmax_backward(p, dp):
    if p.ndim > 1:
        return np.array([softmax_backward(a, b) for a, b in zip(p, dp)])
    mean = sum(p[j] * dp[j] for j in range(len(p)))
    return np.array([p[j] * (dp[j] - mean) for j in range(len(p))])


def one_head(q, k, v, mask, do):
    root = math.sqrt(k.shape[1])
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    for i in range(len(q)):
        allowed = [j for j in range(len(k)) if mask is None or mask[i, j]]
        s = [np.dot(q[i], k[j]) / root for j in allowed]
        e = [math.exp(each - max(s)) for each in s]
        p = np.array([each / sum(e) for each in e])
        dp = np.array([np.dot(do[i], v[j]) for j in allowed])
        ds = softmax_backward(p, dp)
        for n, j in enumerate(allowed):
            dv[j] += p[n] * do[i]
            dq[i] += ds[n] * k[j] / root
            dk[j] += ds[n] * q[i] / root
    return dq, dk, dv


def attention_backward(q, k, v, mask, do):
    if q.ndim == 2:
        return one_head(q, k, v, mask, do)
    parts = []
    for b in range(len(q)):
        own = mask[b] if mask is not None and mask.ndim == q.ndim else mask
        parts.append(attention_backward(q[b], k[b], v[b], own, do[b]))
    return tuple(np.stack(each) for each in zip(*parts))


def numeric_gradient(f, x, h=1e-5):
    shape = np.shape(x)
    flat = [float(value) for value in np.ravel(x)]
    result = []
    for n in range(len(flat)):
        up = flat[:n] + [flat[n] + h] + flat[n + 1 :]
        down = flat[:n] + [flat[n] - h] + flat[n + 1 :]
        result.append((f(np.array(up).reshape(shape)) - f(np.array(down).reshape(shape))) / (2 * h))
    return np.array(result).reshape(shape)


def plot_error(f, gradient, x, steps):
    worst = []
    for h in steps:
        difference = numeric_gradient(f, x, h) - np.array(gradient)
        worst.append(max(abs(number) for number in difference.ravel()))
    plt.figure()
    plt.loglog(steps, worst, "--")
    plt.xlabel("step")
    plt.ylabel("largest difference")
    plt.title("error over step")
    return plt.gcf()
