from collections import defaultdict
from itertools import pairwise


def most_frequent_pair(tokens):
    places = defaultdict(list)
    for place, pair in enumerate(pairwise(tokens)):
        places[pair].append(place)
    return min(places, key=lambda pair: (-len(places[pair]), places[pair][0]))


def merge(tokens, pair):
    left, right = pair
    merged, waiting = [], None
    for token in tokens:
        if waiting is not None:
            if token == right:
                merged.append(waiting + token)
                waiting = None
                continue
            merged.append(waiting)
            waiting = None
        if token == left:
            waiting = token
        else:
            merged.append(token)
    return merged + ([waiting] if waiting is not None else [])


def learn_merges(text, count):
    tokens = list(text)

    def rounds():
        nonlocal tokens
        while len(tokens) > 1:
            pair = most_frequent_pair(tokens)
            yield list(pair)
            tokens = merge(tokens, pair)

    return [pair for _, pair in zip(range(count), rounds())]
