# mistake: no division by √d
import numpy as np


def weights_for(e):
    scores = e @ e.transpose() / np.sqrt(e.shape[-1])
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def entropy(p):
    p = p[p > 0]
    return -np.dot(p, np.log(p))


def analyze_pattern(embeddings):
    w = weights_for(np.asarray(embeddings, dtype=float))
    return {
        "max_attention": sorted(w.ravel())[-1],
        "self_attention": (w * np.eye(len(w))).sum() / len(w),
        "entropy": np.mean([entropy(row) for row in w]),
    }


def strongest_links(weights, tokens, k=2):
    def links(row):
        return tuple((tokens[j], row[j]) for j in sorted(range(len(row)), key=lambda j: -row[j])[:k])

    return tuple(links(row) for row in np.asarray(weights))


def weights_for(e):
    powers = np.exp(e @ e.T - (e @ e.T).max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
