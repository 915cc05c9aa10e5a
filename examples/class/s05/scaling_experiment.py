import numpy as np
from matplotlib.figure import Figure

KEYS = ("scores_std", "entropy", "max_weight")


def soft(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def attention_entropy(weights):
    with np.errstate(all="ignore"):
        return -np.nansum(weights * np.log(weights), axis=-1)


def softmax_gradient_norm(scores):
    flat = soft(scores).reshape(-1, scores.shape[-1])
    norms = [np.linalg.norm(np.diag(p) - np.outer(p, p)) for p in flat]
    return np.reshape(norms, scores.shape[:-1])


def measure_scaling(dimensions, seq_len, trials, rng):
    out = {}
    for d in dimensions:
        q = rng.standard_normal((trials, seq_len, d))
        k = rng.standard_normal((trials, seq_len, d))
        raw = q @ k.transpose(0, 2, 1)
        row = {}
        for name, s in (("unscaled", raw), ("scaled", raw / np.sqrt(d))):
            w = soft(s)
            row[f"scores_std_{name}"] = s.reshape(trials, -1).std(axis=1, ddof=1).mean()
            row[f"entropy_{name}"] = attention_entropy(w).mean()
            row[f"max_weight_{name}"] = w.max(-1).mean()
        out[int(d)] = row
    return out


def plot_scaling(results):
    fig = Figure(figsize=(9, 3))
    for i, key in enumerate(KEYS):
        ax = fig.add_subplot(1, 3, i + 1)
        for kind in ("unscaled", "scaled"):
            ax.semilogx(list(results), [row[f"{key}_{kind}"] for row in results.values()], "o", label=kind)
        ax.set(xlabel="dimension", ylabel=key)
        ax.legend()
    fig.suptitle("what scaling does")
    return fig


CONCLUSION = {"growth_exponent": 1 / 2, "steady": "scaled", "gradient": "vanishes"}
