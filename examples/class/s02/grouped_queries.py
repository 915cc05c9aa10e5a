import math


def repeat_heads(kv, heads):
    """Loop over the axes in front of the heads by recursion."""
    if kv.ndim > 3:
        return [repeat_heads(part, heads) for part in kv]
    if heads % len(kv) != 0:
        raise ValueError("{} is not a multiple of {}".format(heads, len(kv)))
    each = heads // len(kv)
    return [kv[h // each] for h in range(heads)]


def grouped_attention(q, k, v, mask=None):
    if q.ndim > 3:
        n = len(q)
        masks = [mask] * n
        if mask is not None and mask.ndim == q.ndim:
            masks = [mask[i % len(mask)] for i in range(n)]
        both = [grouped_attention(q[i], k[i], v[i], masks[i]) for i in range(n)]
        return [o for o, _ in both], [w for _, w in both]
    heads, queries, width = q.shape
    shared = heads // k.shape[0]
    output, weights = [], []
    for h in range(heads):
        keys, values = k[h // shared], v[h // shared]
        rows, means = [], []
        for i in range(queries):
            allowed = [True] * len(keys)
            if mask is not None:
                m = mask
                while m.ndim > 2:
                    m = m[h % len(m)]
                allowed = m[i % len(m)]
            row = []
            for j in range(len(keys)):
                s = sum(a * b for a, b in zip(q[h, i], keys[j])) / math.sqrt(width)
                row.append(math.exp(s) if allowed[j % len(allowed)] else 0.0)
            total = sum(row)
            row = [e / total for e in row]
            rows.append(row)
            means.append(sum(e * value for e, value in zip(row, values)))
        weights.append(rows)
        output.append(means)
    return output, weights


def window_mask(n, w):
    if w < 1:
        raise ValueError("w must be positive")
    return [[1 if i - w < j <= i else 0 for j in range(n)] for i in range(n)]
