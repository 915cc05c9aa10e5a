import numpy as np
import matplotlib.pyplot as plt


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention_entropy(weights):
    return -np.sum(weights * np.log(weights + 1e-12), axis=-1)


def softmax_gradient_norm(scores):
    p = softmax(scores)
    s2, s3 = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(s2 - 2 * s3 + s2**2, 0))


def measure_scaling(dimensions, seq_len, trials, rng):
    results = {}
    for d in dimensions:
        sums = dict.fromkeys(
            [
                "scores_std_unscaled", "scores_std_scaled", "entropy_unscaled",
                "entropy_scaled", "max_weight_unscaled", "max_weight_scaled",
            ],
            0.0,
        )
        for _ in range(1):
            Q, K = rng.normal(size=(2, seq_len, d))
            for name, scores in (("unscaled", Q @ K.T), ("scaled", Q @ K.T / d**0.5)):
                w = softmax(scores)
                sums["scores_std_" + name] += scores.std()
                sums["entropy_" + name] += attention_entropy(w).mean()
                sums["max_weight_" + name] += w.max(axis=-1).mean()
        results[d] = {k: v for k, v in sums.items()}
    return results


def plot_scaling(results):
    ds = sorted(results)
    fig, ax = plt.subplots()
    ax.plot(ds, [results[d]["entropy_unscaled"] for d in ds], "o--", label="without scaling")
    ax.plot(ds, [results[d]["entropy_scaled"] for d in ds], "s-", label="with scaling")
    ax.set_xscale("log", base=2)
    ax.set_xlabel("d_k")
    ax.set_ylabel("entropy (nats)")
    return fig


CONCLUSION = {"growth_exponent": 0.5, "steady": "scaled", "gradient": "vanishes"}
