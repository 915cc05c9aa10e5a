import numpy as np
from matplotlib import pyplot as plt


def weights_of(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention_entropy(weights):
    w = np.asarray(weights, dtype=float)
    return -np.sum(w * np.log(w + 1e-12), axis=-1)


def softmax_gradient_norm(scores):
    p = weights_of(np.asarray(scores, dtype=float))
    s2, s3 = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(s2 - 2 * s3 + s2**2, 0))


def measure_scaling(dimensions, seq_len, trials, rng):
    results = {}
    for d in dimensions:
        q, k = rng.normal(size=(2, trials, seq_len, d))
        raw = q @ k.transpose(0, 2, 1)
        row = {}
        for name, s in [("unscaled", raw), ("scaled", raw / d**0.5)]:
            w = weights_of(s)
            row["scores_std_" + name] = s.reshape(trials, -1).std(axis=1, ddof=1).mean()
            row["entropy_" + name] = attention_entropy(w).mean()
            row["max_weight_" + name] = w.max(-1).mean()
        results[d] = row
    return results


def plot_scaling(results):
    fig, ax = plt.subplots()
    d = sorted(results)
    ax.semilogx(d, [results[x]["entropy_unscaled"] for x in d], "k--", label="raw scores")
    ax.semilogx(d, [results[x]["entropy_scaled"] for x in d], "k-", label="divided by root d")
    ax.set_xlabel("d")
    ax.set_ylabel("entropy / nats")
    ax.legend()
    ax.set_title("Entropy")
    return fig


CONCLUSION = dict(growth_exponent=1 / 2, steady="scaled", gradient="vanishes")
