"""Heat maps of a sentence in which a word occurs twice."""

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "solutions" / "attention_heatmap.py").read_text()
MERGED = {
    "a place for each word": "place = {word: n for n, word in enumerate(tokens)}\n"
    "    axes.set_xticks(list(place.values()), list(place))\n"
    "    axes.set_yticks(list(place.values()), list(place))\n",
    "the first place of each word": "places = [tokens.index(word) for word in tokens]\n"
    "    axes.set_xticks(places, tokens)\n"
    "    axes.set_yticks(places, tokens)\n",
    "no word twice": "words = list(dict.fromkeys(tokens))\n"
    "    axes.set_xticks(range(len(words)), words)\n"
    "    axes.set_yticks(range(len(words)), words)\n",
    "a sorted set": "words = sorted(set(tokens), key=tokens.index)\n"
    "    axes.set_xticks(range(len(words)), words)\n"
    "    axes.set_yticks(range(len(words)), words)\n",
    "on one axis only": "axes.set_xticks(range(len(tokens)), tokens)\n"
    "    places = [tokens.index(word) for word in tokens]\n"
    "    axes.set_yticks(places, tokens)\n",
}
FIGURE = """
inner = plot_attention
def plot_attention(weights, tokens, title=None):
    figure = inner(weights, tokens, title)
    axes = next(each for each in figure.axes if each.images)
    {}
    return figure
"""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("style", MERGED)
def test_a_word_that_occurs_twice_has_a_label_at_each_place(grade_text, style):
    report = grade_text("attention_heatmap", TEXT + FIGURE.format(MERGED[style]))
    lost = [check for check in report.checks if check.points < check.max_points]
    assert [check.name for check in lost] == ["test_tick_labels"]
    assert "“the” occurs three times" in lost[0].finding
