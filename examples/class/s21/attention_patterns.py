import numpy as np


def analyze_pattern(embeddings):
    scores = embeddings @ embeddings.T / np.sqrt(embeddings.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return {
        "self_attention": np.diag(weights).mean(),
        "max_attention": weights.max(axis=1).mean(),
        "entropy": -(weights * np.log2(weights + 1e-12)).sum(axis=1).mean(),
    }


def strongest_links(weights, tokens, k=2):
    links = []
    for row in weights:
        order = np.argsort(row)[-k:]
        links.append([(tokens[j], float(row[j])) for j in order])
    return links
