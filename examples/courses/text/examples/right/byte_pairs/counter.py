from collections import Counter


def most_frequent_pair(tokens):
    return Counter(zip(tokens, tokens[1:])).most_common(1)[0][0]


def merge(tokens, pair):
    i, merged = 0, []
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged


def learn_merges(text, count):
    tokens, learnt = list(text), []
    for _ in range(count):
        if len(tokens) < 2:
            break
        pair = most_frequent_pair(tokens)
        tokens = merge(tokens, pair)
        learnt.append(pair)
    return learnt
