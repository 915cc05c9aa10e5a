"""Words for queries and keys, as people write them on axes."""

import pytest

from reference.axis_labels import are_a_pair, side_of

QUERIES = (
    "query", "Queries", "Query (attending from)", "attending word (query)", "Query → attends to",
    "$Q$", "q_i", "from", "Attending from", "attending token", "token that attends", "Anfrage",
    "requêtes", "запрос", "查询", "rows (queries)", "Query tokens (attending to keys)",
)  # fmt: skip
KEYS = (
    "key", "Keys", "key (attending to)", "attended word (key)", "$k_j$", "to", "Attending to",
    "attended token", "word looked at", "Schlüssel", "clés", "ключ", "键",
    "Key (attended by the query)", "Keys of the tokens", "word it attends to",
)  # fmt: skip
NEITHER = ("a", "tokens", "words", "x", "position", "monkey", "i", "", "keyboard", "into the wild")


@pytest.mark.parametrize("label", QUERIES)
def test_queries(label):
    assert side_of(label) == "query"


@pytest.mark.parametrize("label", KEYS)
def test_keys(label):
    assert side_of(label) == "key"


@pytest.mark.parametrize("label", NEITHER)
def test_neither(label):
    assert side_of(label) is None


def test_pairs_of_words_that_are_used_for_either():
    assert are_a_pair("source", "target word")
    assert are_a_pair("Target", "Source")
    assert not are_a_pair("source", "source")
    assert not are_a_pair("source", "word")
