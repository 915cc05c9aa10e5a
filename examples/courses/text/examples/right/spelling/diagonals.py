def edit_distance(a, b):
    """How far along each diagonal one comes with so many changes."""
    reach, changes = {0: _along(a, b, 0, 0)}, 0
    goal = len(b) - len(a)
    while reach.get(goal, -1) < len(b):
        changes += 1
        new = {}
        for k in range(-changes, changes + 1):
            j = max(reach.get(k, -2) + 1, reach.get(k - 1, -2) + 1, reach.get(k + 1, -2))
            if j - k < 0 or j < 0:
                continue
            j = min(j, len(b), len(a) + k)
            new[k] = _along(a, b, j - k, j)
        reach = new
    return changes


def _along(a, b, i, j):
    while i < len(a) and j < len(b) and a[i] == b[j]:
        i, j = i + 1, j + 1
    return j


def closest(word, known):
    distance, place = min((edit_distance(word, each), i) for i, each in enumerate(known))
    return known[place]


def corrected(text, known):
    return " ".join(closest(word, tuple(known)) for word in text.strip().split())
