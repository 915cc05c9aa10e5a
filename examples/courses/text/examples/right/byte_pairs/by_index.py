def most_frequent_pair(tokens):
    counts, order = {}, []
    for i in range(len(tokens) - 1):
        pair = tokens[i], tokens[i + 1]
        if pair not in counts:
            counts[pair] = 0
            order.append(pair)
        counts[pair] += 1
    return sorted(order, key=lambda pair: -counts[pair])[0]


def merge(tokens, pair):
    tokens = list(tokens)
    i = 0
    while i + 1 < len(tokens):
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            tokens[i : i + 2] = [pair[0] + pair[1]]
        i += 1
    return tokens


def learn_merges(text, count):
    tokens = [letter for letter in text]
    learnt = []
    while count and len(tokens) >= 2:
        count -= 1
        learnt.append(most_frequent_pair(tokens))
        tokens = merge(tokens, learnt[-1])
    return learnt
