"""Families: every form in which a mistake can be written comes to the same flat record."""

import numpy as np
import pytest

from autograder.author import Family, Probe, Recipe, chosen, constant, without

HINTS = ("?", "!", ".")


def area(width, height=1):
    return width * height


STEPS = {"product": lambda s: s.width * s.height, "area": lambda s: s.product}


def recipe(*families):
    return Recipe(area, lambda draw: [(3, 4 + draw), Probe((5,))], families, steps=STEPS)


def results(*families):
    """Of each misconception its name, its finding and its results."""
    made = recipe(*families)
    return [
        (each.id, each.finding, [made.run(probe, (each,)) for probe in made.calls(0)])
        for each in made.misconceptions
    ]


def test_a_change_stands_in_place_of_the_familys_step():
    family = Family("product", HINTS, {"added": ("You add.", lambda s: s.width + s.height)})
    assert results(family) == [("added", "You add.", [7, 6])]
    assert recipe(family).misconceptions[0].hints == HINTS


def test_several_ways_share_a_name_and_a_finding_or_have_their_own():
    ways = {
        "one": ("Same.", lambda s: 1, lambda s: 2),
        "two": [("First.", lambda s: 3), ("Second.", lambda s: 4)],
    }
    assert [(name, said, got[0]) for name, said, got in results(Family("area", HINTS, ways))] == [
        ("one", "Same.", 1),
        ("one", "Same.", 2),
        ("two", "First.", 3),
        ("two", "Second.", 4),
    ]


class Counter:
    def __init__(self):
        self.count = 0

    def step(self, by=1):
        self.count += by
        return self.count


class Twice(Counter):
    def step(self, by=1):
        return super().step(2 * by)


def test_a_mistake_of_a_plain_class_is_a_class():
    twice = {"twice": ("Each step counts twice.", Twice)}
    made = Recipe(Counter, lambda rng: [([("step",), ("step", 3)],)], twice)
    (probe,), (wrong,) = made.calls(0), made.misconceptions
    assert made.run(probe) == [1, 4]
    assert made.run(probe, (wrong,)) == [2, 8]
    assert made.caller.simulated(made, Counter, (wrong,)) is Twice
    assert made.caller.simulated(made, Counter, ()) is Counter


def test_a_dict_changes_other_steps_and_arguments():
    ways = {"both": ("Both.", {"width": lambda s: 10, "area": lambda s: s.product + 1})}
    for step in (None, "product"):
        assert results(Family(step, HINTS, ways))[0][2] == [41, 11]


def test_what_a_change_means_is_said_once():
    def times(factor):
        return lambda s: s.width * factor

    ways = {"twice": ("Twice.", 2), "all": ("All.", {"product": 3, "width": 5})}
    assert [got for *_, got in results(Family("product", HINTS, ways, times))] == [
        [6, 10],
        [45, 75],
    ]
    more = Family("product", HINTS, {"7": ("7.", 7)}, means=constant)
    assert results(more)[0][2] == [7, 7]


def test_the_step_may_be_the_function_and_a_change_another_of_the_same_arguments():
    family = Family(area, HINTS, {"added": ("You add.", lambda width, height: width + height)})
    made = Recipe(area, lambda draw: [(3, 4), (5,)], (family,))
    assert made.parameters == ("width", "height") and made.defaults == {"height": 1}
    assert [made.run(probe) for probe in made.calls(0)] == [12, 5]
    assert [made.run(probe, made.misconceptions) for probe in made.calls(0)] == [7, 6]


def test_a_dict_of_mistakes_is_a_family_without_hints():
    ways = {"added": ("You add.", lambda width, height: width + height)}
    (wrong,) = Recipe(area, lambda draw: [], ways).misconceptions
    assert (wrong.id, wrong.hints) == ("added", ())
    ways = {"none": ("None.", {"area": lambda s: None})}
    assert [*Recipe(area, lambda draw: [], ways, steps=STEPS).misconceptions[0].replaces] == [
        "area"
    ]


def test_probes_draw_from_rng_or_by_the_number_of_the_draw():
    by_rng = Recipe(area, lambda rng: ((rng.random(), 1) for _ in range(2)))
    again = np.random.default_rng(1)
    assert [probe.args[0] for probe in by_rng.calls(1)] == [again.random(), again.random()]
    assert recipe().calls(2)[0] == Probe((3, 6))


def test_some_of_a_family_are_chosen_in_its_order_and_in_other_words():
    one = Family(
        "area", HINTS, {"a": ("A.", abs), "b": [("B.", abs), ("C.", abs)], "c": ("D.", abs)}
    )
    other = Family("area", HINTS, {"d": ("E.", abs)})
    assert [[*each.ways] for each in chosen((one, other), "c a")] == [["a", "c"]]
    assert [[*each.ways] for each in without((one, other), "a b d")] == [["c"]]
    with pytest.raises(ValueError, match="mistake x, y"):
        chosen((one, other), "y a x")
    worded = one.worded(lambda text: text.replace(".", "!"))
    assert worded.hints == ("?", "!", "!")
    assert [each.finding for each in worded.misconceptions] == ["A!", "B!", "C!", "D!"]
