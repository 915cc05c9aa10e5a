# kind: wrong
# mistake: links of weight 0 are left out
import numpy as np


def analyze_pattern(embeddings):
    embeddings = np.asarray(embeddings, dtype=float)
    scores = embeddings @ embeddings.T / np.sqrt(embeddings.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    logarithms = np.log(np.where(weights > 0, weights, 1))
    return {
        "self_attention": float(np.diag(weights).mean()),
        "max_attention": float(weights.max()),
        "entropy": float(-(weights * logarithms).sum(axis=1).mean()),
    }


def strongest_links(weights, tokens, k=2):
    links = []
    for row in np.asarray(weights):
        largest_first = np.argsort(-row)[:k]
        links.append([(tokens[j], float(row[j])) for j in largest_first if row[j] > 0])
    return links
