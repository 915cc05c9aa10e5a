from functools import lru_cache


@lru_cache(maxsize=None)
def edit_distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return edit_distance(a[1:], b[1:])
    return 1 + min(edit_distance(a[1:], b), edit_distance(a, b[1:]), edit_distance(a[1:], b[1:]))


def closest(word, known):
    return sorted(known, key=lambda each: edit_distance(each, word))[0]


def corrected(text, known):
    words = []
    for word in text.split():
        words.append(word if word in known else closest(word, known))
    return " ".join(words)
