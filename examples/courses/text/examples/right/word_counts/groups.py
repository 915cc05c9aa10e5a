import itertools
import re


def count_words(text):
    words = sorted(found.group().lower() for found in re.finditer("[A-Za-z]+('[A-Za-z]+)*", text))
    return {word: len(list(same)) for word, same in itertools.groupby(words)}
