import numpy as np
from matplotlib.figure import Figure


def attention_entropy(weights):
    weights = np.asarray(weights, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weights > 0, -weights * np.log(weights), 0)
    return terms.sum(axis=-1)


def _softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)


def softmax_gradient_norm(scores):
    p = _softmax(np.asarray(scores, dtype=np.float64))
    flat = p.reshape(-1, p.shape[-1])
    norms = [np.linalg.norm(np.diag(row) - np.outer(row, row)) for row in flat]
    return np.array(norms).reshape(p.shape[:-1])


def measure_scaling(dimensions, seq_len, trials, rng):
    table = {}
    for d in dimensions:
        found = []
        for _ in range(trials):
            Q = rng.normal(0, 1, (seq_len, d))
            K = rng.normal(0, 1, (seq_len, d))
            S = Q.dot(K.T)
            one = {}
            for kind, X in {"unscaled": S, "scaled": S / np.sqrt(d)}.items():
                W = _softmax(X)
                one[f"scores_std_{kind}"] = np.std(X)
                one[f"entropy_{kind}"] = np.mean(attention_entropy(W))
                one[f"max_weight_{kind}"] = np.mean(np.max(W, axis=1))
            found.append(one)
        table[d] = {key: np.mean([one[key] for one in found]) for key in found[0]}
    return table


def plot_scaling(results):
    figure = Figure()
    axes = figure.subplots()
    d = np.array(sorted(results))
    for kind in ("scaled", "unscaled"):
        axes.plot(d, [results[n]["scores_std_" + kind] for n in d], marker="o", label=kind)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("d_k")
    axes.set_ylabel("spread of the scores")
    figure.legend()
    figure.suptitle("How far the scores spread")
    return figure


measured = measure_scaling([16, 256], 8, 200, np.random.default_rng(1))
slope = np.log(measured[256]["scores_std_unscaled"] / measured[16]["scores_std_unscaled"])
CONCLUSION = {"growth_exponent": slope / np.log(16), "steady": "scaled", "gradient": "vanishes"}
