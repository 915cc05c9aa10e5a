def most_frequent_pair(tokens):
    pairs = [[a, b] for a, b in zip(tokens, tokens[1:])]
    best = pairs[0]
    for pair in pairs:
        if pairs.count(pair) > pairs.count(best):
            best = pair
    return best


def merge(tokens, pair):
    if len(tokens) < 2:
        return list(tokens)
    if list(tokens[:2]) == list(pair):
        return ["".join(pair)] + merge(tokens[2:], pair)
    return [tokens[0]] + merge(tokens[1:], pair)


def learn_merges(text, count):
    def go(tokens, left):
        if not left or len(tokens) < 2:
            return []
        pair = most_frequent_pair(tokens)
        return [pair] + go(merge(tokens, pair), left - 1)

    return go(list(text), count)
