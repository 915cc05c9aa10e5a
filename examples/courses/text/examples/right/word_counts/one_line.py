import re

WORD = re.compile(r"[a-z](?:'?[a-z])*", re.IGNORECASE)


def count_words(text):
    words = [word.lower() for word in WORD.findall(text)]
    return {word: words.count(word) for word in set(words)}
