import re
from collections import defaultdict


def count_words(text):
    counts = defaultdict(int)
    for piece in re.split("[^a-z']+|''+", text.lower()):
        if piece.strip("'"):
            counts[piece.strip("'")] += 1
    return dict(counts)
