import numpy as np


def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    table[:, 0] = range(len(a) + 1)
    table[0] = range(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1]
            else:
                table[i, j] = 1 + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[len(a), len(b)]


def closest(word, known):
    distances = np.array([edit_distance(word, each) for each in known])
    return known[int(distances.argmin())]


def corrected(text, known):
    made = ""
    for word in text.split():
        made += closest(word, known) + " "
    return made.strip()
