"""Recognition of axis labels that mean queries or keys."""

import re


def words(label: str) -> list[str]:
    """Return the words of a label in lower case. For example, “q_i” and “$Q$” have the word “q”."""
    return re.findall(r"[^\W\d_]+", label.lower())


QUERIES = frozenset(
    words(
        "query queries querying q requête requêtes consulta consultas abfrage abfragen anfrage "
        "anfragen запрос запросы"
    )
)
KEYS = frozenset(
    words(
        "key keys k clé clés clef clefs clave claves chave chaves chiave chiavi schlüssel ключ "
        "ключи"
    )
)
# a position that attends is a query; a position that is attended to is a key
ATTENDS = frozenset(words("from attending attender attends row rows current von desde depuis"))
ATTENDED = frozenset(
    words("to attended onto toward towards looked column columns context nach vers hacia")
)
PAIRS = ({"source", "target"}, {"input", "output"}, {"encoder", "decoder"}, {"src", "tgt"})
NO_SPACES = (("查询", "query"), ("クエリ", "query"), ("键", "key"), ("キー", "key"))


def side_of(label: str) -> str | None:
    """Return `query` or `key`: the one that a label names first.

    If a label names neither, return None.
    """
    for part, side in NO_SPACES:
        if part in label:
            return side
    said = words(label)
    for word in said:
        if word in QUERIES or word in KEYS:
            return "query" if word in QUERIES else "key"
    attended, attends = ATTENDED.intersection(said), ATTENDS.intersection(said)
    if attended and "from" not in said:
        return "key"
    return "query" if attends and not attended else None


def are_a_pair(one: str, other: str) -> bool:
    """Return True for a pair of labels with an unclear meaning, such as source and target.

    In attention, the target is the key. In a translation, the target is the query.
    """
    mine, theirs = set(words(one)), set(words(other))
    return any(
        mine & {first} and theirs & pair - {first} and not theirs & {first}
        for pair in PAIRS
        for first in pair
    )
