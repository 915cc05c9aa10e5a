"""A word when an exercise, an assignment or the course is done."""

from collections.abc import Mapping, Sequence

from autograder.report.wrap import StyledLine
from autograder.study.points import points_in_words
from autograder.study.standing import Group, Standing
from autograder.text import several

EDGE = "·  ░  ▒  ▓  █  ▓  ▒  ░  ·"


def celebrated(
    done: Standing, groups: Sequence[Group], found: Mapping[str, Standing], spoken: bool
) -> list[StyledLine]:
    """What to say now that an exercise has just been done, and perhaps others with it."""
    if all(each.state == "done" for each in found.values()):
        return _course(list(found.values()), spoken)
    mine = [g for g in groups if any(s.exercise.name == done.exercise.name for s in g.standings)]
    for group in mine:
        if group.title and all(each.state == "done" for each in group.standings):
            stars = "" if spoken else "★ ★ ★  "
            said = f"“{group.title}” is done: {points_in_words(group.standings)}."
            return [[(stars + said, "full")]]
    return [[(("" if spoken else "★  ") + f"“{done.exercise.title}” is done.", "full")]]


def _course(found: Sequence[Standing], spoken: bool) -> list[StyledLine]:
    said = f"The whole course is done: {several(len(found), 'exercise')}, {points_in_words(found)}."
    if spoken:
        return [[(said, "full")]]
    return [[(f"  {EDGE}", "hint")], [(f"  {said}", "full")], [(f"  {EDGE}", "hint")]]
