import numpy as np
from matplotlib.figure import Figure


def softmax_backward(p, dp):
    """Multiply each row by the Jacobian of the softmax, diag(p) − p pᵀ."""
    jacobian = p[..., :, None] * np.eye(p.shape[-1]) - p[..., :, None] * p[..., None, :]
    return (jacobian @ dp[..., None])[..., 0]


def softmax(z):
    z = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return z / np.sum(z, axis=-1, keepdims=True)


def T(a):
    return np.moveaxis(a, -1, -2)


def attention_backward(q, k, v, mask, do):
    d = k.shape[-1]
    if mask is None:
        mask = np.ones((q.shape[-2], k.shape[-2]), dtype=bool)
    P = softmax(np.where(mask, q @ T(k) / np.sqrt(d), -np.inf))
    dP = do @ T(v)
    dS = softmax_backward(P, dP)
    dS = np.where(mask, dS, 0)
    return dS @ (k / np.sqrt(d)), T(dS) @ (q / np.sqrt(d)), T(P) @ do


def numeric_gradient(f, x, h=1e-5):
    """Write into a copy, and write the old value back."""
    work = np.array(x, dtype=np.float64, ndmin=1)
    shape = np.shape(x)
    out = np.empty(work.shape)
    for place in np.ndindex(*work.shape):
        old = work[place]
        work[place] = old + h
        up = f(work.reshape(shape))
        work[place] = old - h
        down = f(work.reshape(shape))
        work[place] = old
        out[place] = (up - down) / (2 * h)
    return out.reshape(shape)


def plot_error(f, gradient, x, steps):
    figure = Figure()
    axes = figure.add_subplot()
    errors = []
    for h in sorted(steps):
        errors.append(np.linalg.norm(np.ravel(numeric_gradient(f, x, h) - gradient), ord=np.inf))
    axes.scatter(sorted(steps), errors)
    axes.set(xscale="log", yscale="log", xlabel="step size", ylabel="max. abs. error")
    figure.suptitle("Test of a gradient")
    return figure
