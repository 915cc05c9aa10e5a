"""Byte pairs: which two neighbours come most often, and one token in their place."""


def neighbours(tokens):
    """All pairs of neighbours, in order."""
    return list(zip(tokens, tokens[1:]))


def most_frequent(pairs):
    """The pair that comes most often; of several, the one that comes first."""
    return max(pairs, key=pairs.count)


def merge(tokens, pair):
    """The tokens with one token in place of each pair, from left to right."""
    merged = []
    for token in tokens:
        if merged and (merged[-1], token) == tuple(pair):
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def most_frequent_pair(tokens):
    return most_frequent(neighbours(tokens))


def learn_merges(text, count, choose=most_frequent_pair, join=merge):
    """The pairs that are merged, in order, until there are `count` or one token is left."""
    tokens, learnt = list(text), []
    while len(learnt) < count and len(tokens) > 1:
        learnt.append(choose(tokens))
        tokens = join(tokens, learnt[-1])
    return learnt
