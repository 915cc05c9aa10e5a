import math


def analyze_pattern(embeddings):
    L, d = len(embeddings), len(embeddings[0])
    weights = []
    for q in embeddings:
        row = [sum(a * b for a, b in zip(q, k)) / math.sqrt(d) for k in embeddings]
        top = max(row)
        e = [math.exp(x - top) for x in row]
        weights.append([x / sum(e) for x in e])
    total = 0.0
    for row in weights:
        total -= sum(p * math.log(p) for p in row if p > 0)
    return {
        "entropy": total / L,
        "self_attention": sum(weights[i][i] for i in range(L)) / L,
        "max_attention": max(max(row) for row in weights),
    }


def strongest_links(weights, tokens, k=2):
    result = []
    for row in weights:
        pairs = sorted(zip(tokens, row), key=lambda pair: pair[1], reverse=True)
        result.append([(token, float(w)) for token, w in pairs[:k]])
    return result
