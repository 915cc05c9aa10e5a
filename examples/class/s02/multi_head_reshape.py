def split_heads(x, num_heads):
    features = x.shape[-1]
    if features % num_heads != 0:
        raise ValueError("cannot split %d features into %d heads" % (features, num_heads))
    size = features // num_heads
    return [
        [[list(token[h * size : (h + 1) * size]) for token in batch] for h in range(num_heads)]
        for batch in x
    ]


def merge_heads(x):
    merged = []
    for batch in x:
        tokens = []
        for position in range(len(batch[0])):
            features = []
            for head in batch:
                features.extend(head[position])
            tokens.append(features)
        merged.append(tokens)
    return merged
