import heapq


def edit_distance(a, b):
    """The shortest way through the places in both words."""
    done, coming = set(), [(0, 0, 0)]
    while True:
        changes, i, j = heapq.heappop(coming)
        if (i, j) == (len(a), len(b)):
            return changes
        if (i, j) in done:
            continue
        done.add((i, j))
        if i < len(a):
            heapq.heappush(coming, (changes + 1, i + 1, j))
        if j < len(b):
            heapq.heappush(coming, (changes + 1, i, j + 1))
        if i < len(a) and j < len(b):
            heapq.heappush(coming, (changes + (a[i] != b[j]), i + 1, j + 1))


def closest(word, known):
    best, least = None, float("inf")
    for each in known:
        distance = edit_distance(word, each)
        if distance < least:
            best, least = each, distance
    return best


def corrected(text, known):
    return " ".join([closest(word, known) for word in text.split()])
