# mistake: only the diagonal of the Jacobian
import matplotlib.pyplot as plt
import numpy as np


def softmax(z):
    z = np.exp(z - z.max(axis=-1)[..., None])
    return z / z.sum(axis=-1)[..., None]


def attention_entropy(weights):
    p = np.clip(np.asarray(weights, float), 1e-300, 1)
    return (-p * np.log(p)).sum(-1)


def softmax_gradient_norm(scores):
    p = softmax(np.array(scores, float))
    J = np.einsum("...i,ij->...ij", p, np.eye(p.shape[-1])) - np.einsum("...i,...j->...ij", p, p)
    return np.sqrt(np.einsum("...ij,...ij->...", J, J))


def measure_scaling(dimensions, seq_len, trials, rng):
    out = {}
    for d in dimensions:
        acc = np.zeros(6)
        for t in range(trials):
            K = rng.standard_normal(size=[seq_len, d])
            Q = rng.standard_normal(size=[seq_len, d])
            raw = np.einsum("id,jd->ij", Q, K)
            for n, s in enumerate([raw, raw * d**-0.5]):
                w = softmax(s)
                acc[3 * n : 3 * n + 3] += s.std(), attention_entropy(w).mean(), w.max(1).mean()
        acc /= trials
        keys = [f"{m}_{k}" for k in ("unscaled", "scaled") for m in ("scores_std", "entropy", "max_weight")]
        out[d] = dict(zip(keys, acc.tolist()))
    return out


def plot_scaling(results):
    fig, (left, right) = plt.subplots(1, 2)
    d = np.array(list(results))
    d.sort()
    for ax, m in ((left, "entropy"), (right, "max_weight")):
        ax.plot(d, [results[x][m + "_unscaled"] for x in d], label="no")
        ax.plot(d, [results[x][m + "_scaled"] for x in d], label="yes")
        ax.set_xscale("log")
        ax.set_xlabel("dimension")
        ax.set_ylabel(m)
        ax.set_title(m)
        ax.legend(title="scaled?")
    return fig


CONCLUSION = {"gradient": "vanishes", "steady": "scaled", "growth_exponent": 0.5}


def softmax_gradient_norm(scores):
    p = softmax(np.array(scores, float))
    return np.linalg.norm(p * (1 - p), axis=-1)
