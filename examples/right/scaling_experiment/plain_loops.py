import math

import matplotlib.pyplot as plt
import numpy as np


def attention_entropy(weights):
    weights = np.asarray(weights)
    if weights.ndim == 1:
        return -sum(float(p) * math.log(p) for p in weights if p > 0)
    return [attention_entropy(row) for row in weights]


def softmax(row):
    top = max(row)
    e = [math.exp(x - top) for x in row]
    return [x / sum(e) for x in e]


def softmax_gradient_norm(scores):
    scores = np.asarray(scores)
    if scores.ndim > 1:
        return [softmax_gradient_norm(row) for row in scores]
    p = softmax(scores.tolist())
    total = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            total += ((p[i] if i == j else 0.0) - p[i] * p[j]) ** 2
    return math.sqrt(total)


def measure_scaling(dimensions, seq_len, trials, rng):
    names = ("scores_std", "entropy", "max_weight")
    results = {d: {f"{n}_{k}": 0.0 for n in names for k in ("unscaled", "scaled")} for d in dimensions}
    for d in dimensions:
        for _ in range(trials):
            q = rng.standard_normal((seq_len, d))
            k = rng.standard_normal((seq_len, d))
            scores = q @ k.T
            for kind, s in (("unscaled", scores), ("scaled", scores / math.sqrt(d))):
                w = [softmax(row) for row in s.tolist()]
                results[d][f"scores_std_{kind}"] += float(np.std(s)) / trials
                results[d][f"entropy_{kind}"] += float(np.mean(attention_entropy(w))) / trials
                results[d][f"max_weight_{kind}"] += sum(map(max, w)) / seq_len / trials
    return results


def plot_scaling(results):
    figure = plt.figure()
    axes = figure.add_subplot()
    dims = list(results)
    axes.scatter(dims, [results[d]["max_weight_unscaled"] for d in dims], label="without")
    axes.scatter(dims, [results[d]["max_weight_scaled"] for d in dims], label="with")
    axes.set_xscale("log")
    axes.set(xlabel="dimension", ylabel="largest weight", title="Largest weight")
    axes.legend(title="scaling")
    return figure


CONCLUSION = {"growth_exponent": 0.5, "steady": "scaled", "gradient": "vanishes"}
