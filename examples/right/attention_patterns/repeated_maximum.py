import numpy as np


def analyze_pattern(embeddings):
    x = np.asarray(embeddings, dtype=np.float64)
    s = x.dot(x.T) / x.shape[1] ** 0.5
    log_a = s - s.max(1, keepdims=True)
    log_a = log_a - np.log(np.exp(log_a).sum(1, keepdims=True))
    a = np.exp(log_a)
    return {
        "self_attention": float(a[np.arange(len(a)), np.arange(len(a))].mean()),
        "max_attention": float(np.max(a)),
        "entropy": float(-(a * log_a).sum() / len(a)),
    }


def strongest_links(weights, tokens, k=2):
    links = []
    for row in np.array(weights, dtype=float):
        mine = []
        while len(mine) < k and len(mine) < len(tokens):
            j = int(np.argmax(row))
            mine.append((tokens[j], float(row[j])))
            row[j] = -1.0
        links.append(tuple(mine))
    return links
