"""Words and how often they come, in named steps."""

import re


def lowered(text):
    """The text without capitals."""
    return text.lower()


def words_of(text):
    """The words in order: runs of letters, with apostrophes between letters."""
    return re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)*", text)


def counted(words):
    """How often each word comes."""
    return {word: words.count(word) for word in words}


def count_words(text):
    """How often each word comes in a text, capitals or not."""
    return counted(words_of(lowered(text)))
