"""What goes wrong in a tokenizer by byte pairs."""

from autograder.author import Family, Mistakes, Recipe, Trait
from reference.pairs import learn_merges, merge, most_frequent, most_frequent_pair, neighbours

TIES = (
    "Which pair wins where two come equally often?",
    "The one that comes first in the text.",
    "max gives the first of the largest; sorting, or `>=` in place of `>`, gives another.",
)
COUNTING = (
    "Write down all pairs of neighbours of `abab`. How many are there?",
    "Each token but the last begins a pair, so n tokens have n − 1 pairs.",
    "zip(tokens, tokens[1:]) gives them all; then count each.",
)
ONE_PASS = (
    "Merge `a a` in `aaaa` by hand. What is left?",
    "From left to right, each token is used once: `aa aa`.",
    "After a merge go on behind it, and do so until the end of the list.",
)
ROUNDS = (
    "What does each round begin with, and when is the last one?",
    "A round counts anew in the tokens as they are, notes its pair and merges it.",
    "Inside the loop: the pair, the note, tokens = merge(tokens, pair). There are `count` rounds.",
)


def _from_the_right(tokens, pair):
    back = merge([token[::-1] for token in tokens[::-1]], [part[::-1] for part in pair[::-1]])
    return [token[::-1] for token in back[::-1]]


def _first_only(tokens, pair):
    at = neighbours(tokens).index(tuple(pair))
    return [*tokens[:at], "".join(pair), *tokens[at + 2 :]]


def _not_used_up(tokens, pair):
    ends = [*neighbours(tokens), (tokens[-1], "")]
    return ["".join(pair) if each == tuple(pair) else each[0] for each in ends]


PAIR = (
    Family(
        "pair",
        TIES,
        {
            "last-of-ties": (
                "Of pairs that come equally often, the last is taken.",
                lambda s: max(s.pairs[::-1], key=s.pairs.count),
            ),
            "alphabet-breaks-ties": (
                "Of pairs that come equally often, the last in the alphabet is taken.",
                lambda s: max(s.pairs, key=lambda pair: (s.pairs.count(pair), pair)),
            ),
        },
    ),
    Family(
        None,
        COUNTING,
        {
            "least-frequent": (
                "The pair is one that comes least often.",
                {"pair": lambda s: min(s.pairs, key=s.pairs.count)},
            ),
            "every-second-pair": (
                "Only every second pair is counted: the tokens are taken two by two.",
                {"pairs": lambda s: neighbours(s.tokens)[::2]},
            ),
        },
    ),
)
MERGE = (
    Family(
        merge,
        ONE_PASS,
        {
            "first-only": ("The first such pair is merged, and the others are left.", _first_only),
            "from-the-right": (
                "Pairs are merged from the right: where they overlap, the wrong one is left over.",
                _from_the_right,
            ),
            "not-used-up": (
                "The second token of a merged pair is still there behind it.",
                _not_used_up,
            ),
        },
    ),
)
LEARN = (
    Family(
        None,
        ROUNDS,
        {
            "not-merged": (
                "Every round finds the same pair: the tokens are those of the first round.",
                {"join": lambda s: lambda tokens, pair: tokens},
            ),
            "one-round-more": (
                "There is one pair more than asked for.",
                {"count": lambda s: s.count + 1},
            ),
            "last-pair-first": (
                "The pairs are right but in the opposite order: the last merge comes first.",
                {"learnt": lambda s: learn_merges(s.text, s.count, s.choose, s.join)[::-1]},
            ),
        },
    ),
)


def _texts(rng):
    drawn = ["".join(rng.choice(list("abc"), size=size)) for size in range(5, 17)]
    return ["ab", "abab", "abcbc", "bab", "aaab", "aaaba", "baaa", *drawn]


PAIRS = (("a", "b"), ("a", "a"))
MISTAKES = Mistakes(
    Recipe(
        most_frequent_pair,
        lambda rng: [(list(text),) for text in _texts(rng)],
        PAIR,
        steps={
            "pairs": lambda s: neighbours(s.tokens),
            "pair": lambda s: most_frequent(s.pairs),
        },
    ),
    Recipe(
        merge,
        lambda rng: [(list(text), pair) for text in _texts(rng) for pair in PAIRS],
        MERGE,
        traits=(Trait(lambda s: s.pair[0] == s.pair[1], "for twice the same", "for two letters"),),
    ),
    Recipe(
        "learn_merges",
        lambda rng: [(text, count) for text in _texts(rng) for count in (1, 3)],
        LEARN,
        steps={
            "choose": lambda s: most_frequent_pair,
            "join": lambda s: merge,
            "learnt": lambda s: learn_merges(s.text, s.count, s.choose, s.join),
        },
        parameters=("text", "count"),
    ),
)
