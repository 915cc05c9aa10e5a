"""Texts that are safe to print, store and compare; names, numbers and lists in sentences."""

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_DIGESTED = re.compile(r"(--[0-9a-f]{32}| \([0-9a-f]{32}\))\Z")
_UNSAFE_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
_AFTER_A_NOUN = re.compile(  # start of a phrase that follows a noun
    r" (?:(?:of|after|for|with|without|in|on|at|by|to|from|over|under|before|between|while|"
    r"that|which|divided|given|taken)\b|[(A-Z])|,"
)
_CONSONANT_Y = re.compile(r"(?<=[b-df-hj-np-tv-z])y\Z")
CONTROL = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # categories of characters that are escaped
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # reserved on Windows
_AS_LETTERS = str.maketrans("0123456789", "ghijklmnop")
ID_LETTERS = 24
MAX_NAME = 60
MAX_ID = 120


def printable(text: str, limit: int = 2000) -> str:
    """Return text without control characters and terminal escapes, with at most `limit` characters.

    Newlines and tabs stay. Other control characters, lone surrogates, and direction marks (which
    could reorder a line) become texts such as `\x1b`. Memory addresses differ between runs, so they
    become `0x…`.
    """
    start = text[: limit + 1]
    cut = _ADDRESS.sub("0x…", start if start.isprintable() else "".join(map(_shown, start)))
    return cut if len(text) <= limit else cut[:limit] + " …"


def one_line(text: str, limit: int = 200) -> str:
    """Return `printable(text, limit)` on one line, with single spaces."""
    return printable(" ".join(text.split()), limit)


def _shown(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char) not in CONTROL:
        return char
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")


def file_name(identifier: str) -> str:
    """Return a file name for a student's id: the id, or a cleaned id with a digest.

    Two different ids never have the same file name, even if the file system ignores case. An id
    that looks like a name with a digest gets a digest too. The digest is too long to be forged.
    """
    clean = _UNSAFE_IN_NAMES.sub("_", identifier).strip("._-")[:MAX_NAME].rstrip("._-")
    if DEVICES.fullmatch(clean):
        clean = f"student-{clean}"[:MAX_NAME].rstrip("._-")
    if clean and clean == identifier == clean.lower() and not has_digest(clean):
        return clean
    return f"{clean or 'student'}--{digest(identifier)}"


def has_digest(name: str) -> bool:
    """Return True if a name ends with a digest that `file_name` or `identity` has added."""
    return _DIGESTED.search(name) is not None


def digest(text: str, length: int = 32) -> str:
    """Return hexadecimal digits that identify a text of any characters."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def as_letters(text: str) -> str:
    """Return letters that identify a text. A spreadsheet could read digits as a number."""
    return digest(text, ID_LETTERS).translate(_AS_LETTERS)


def identity(name: str) -> str:
    """Return the id for a folder's name: the name, or a printable form with a digest.

    The id depends only on the name. Different names never have the same id.
    """
    shown = one_line(name, MAX_ID)
    if shown == name and not has_digest(name):
        return name
    return f"{one_line(name, MAX_ID // 2)} ({digest(name)})"


def number(value: float) -> str:
    """Format a number, such as points, with at most two decimals and no zeros at the end."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def several(count: float, noun: str) -> str:
    """Return a number with a noun, such as `1 value`, `3 values`, `2 entries` or `0.5 days`."""
    if count == 1:
        return f"1 {noun}"
    ending = _CONSONANT_Y.sub("ies", noun)
    return f"{number(count)} {f'{noun}s' if ending == noun else ending}"


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the most similar known name. If the similarity is below `cutoff`, return ""."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return matches[0] if matches else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known name, after a blank, or "" if none is."""
    near = nearest(word, known)
    return f" Did you mean {near}?" if near else ""


def few(names: Sequence[str], most: int) -> str:
    """Return the first `most` names as words, such as `a, b and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def join_names(names: Sequence[str]) -> str:
    """Return the names as words, such as `one, two and three`. Without names, return ""."""
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """Return the text with a capital first letter, unless its first word has an underscore."""
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Return the text with a lower-case first letter, unless its first word is a name."""
    word = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if word == "A" or word[1:].islower() else text


def is_plural(what: str) -> bool:
    """Return True if the name of a value needs the verb `are`, not `is`.

    Only the main noun decides: "the weights without the mask" needs `are`.
    """
    noun = _AFTER_A_NOUN.split(what)[0].rstrip(" ,:")
    one = "_" in noun or noun.endswith(("ss", "is", "us", "bias"))
    return " and" in noun or (noun.endswith("s") and not one)


def are(what: str) -> str:
    """Return the verb for the name of a value: `is` or `are`."""
    return "are" if is_plural(what) else "is"


def ordinal(number: int) -> str:
    """Return an ordinal number, such as `1st`, `2nd`, `3rd` or `11th`."""
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
