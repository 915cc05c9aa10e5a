"""The points of exercises that are done, in words: what is there, and who gives the rest."""

from collections.abc import Sequence

from autograder.study.standing import Standing
from autograder.text import number, one_and_other


def points_in_words(done: Sequence[Standing]) -> str:
    """`50 of 54 points; 4 more are given by a person`, without a full stop.

    What a released course does not tell is told when the work is graded.
    """
    points = sum(each.points for each in done)
    whole = sum(each.exercise.points for each in done)
    rest = [
        (sum(map(_from_a_person, done)), "{} more {} given by a person"),
        (sum(map(_when_graded, done)), "{} more {} told when your work is graded"),
    ]
    said = [text.format(number(n), "is" if n == 1 else "are") for n, text in rest if n > 0]
    return "; ".join([f"{number(points)} of {number(whole)} points", one_and_other(said)]).strip(
        "; "
    )


def _is_by_hand(standing: Standing) -> bool:
    return standing.progress is not None and standing.progress.status == "by hand"


def _from_a_person(standing: Standing) -> float:
    return standing.exercise.points if _is_by_hand(standing) else 0.0


def _when_graded(standing: Standing) -> float:
    if standing.progress is None or _is_by_hand(standing):
        return 0.0
    return round(standing.exercise.points - standing.progress.max_points, 2)
