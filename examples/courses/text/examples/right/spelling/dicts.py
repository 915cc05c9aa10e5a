def edit_distance(a, b):
    least = {}
    for i in range(-1, len(a)):
        for j in range(-1, len(b)):
            if i < 0 or j < 0:
                least[i, j] = i + j + 2
            else:
                least[i, j] = min(
                    least[i - 1, j] + 1,
                    least[i, j - 1] + 1,
                    least[i - 1, j - 1] + int(a[i] != b[j]),
                )
    return least[len(a) - 1, len(b) - 1]


def closest(word, known):
    by_distance = {}
    for each in known:
        by_distance.setdefault(edit_distance(word, each), each)
    return by_distance[min(by_distance)]


def corrected(text, known):
    cache = {}
    words = text.split()
    for word in words:
        cache[word] = closest(word, known)
    return " ".join(map(cache.get, words))
