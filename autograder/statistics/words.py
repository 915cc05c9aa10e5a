"""What the figures of a class mean, in sentences, and what they cannot say."""

import math

from autograder.text import number, several

from .summary import Measured, Summary

FEW = 20  # students: below this, correlations swing by more than what they are used to tell
RELIABLE = 0.7


def of_class(summary: Summary) -> list[str]:
    """Sentences about the class as a whole; the first says of whom they are."""
    count = summary.students
    if not count:
        return ["Nobody's points are known yet, so there are no figures."]
    said = [
        f"{several(count, 'student')} handed in something whose points are known; these figures "
        f"are about them."
    ]
    if count == 1:
        return [*said, "Of one student no figure about a class can be made."]
    said.append(
        f"The mean is {summary.mean:.1f} of {number(summary.maximum)} points, the median "
        f"{summary.median:.1f}, the standard deviation {summary.deviation:.1f}."
    )
    if count < FEW:
        return [
            *said,
            f"With fewer than {FEW} students it cannot be said which exercise or check tells good "
            f"work from the rest, nor how reliable the points are: other students would give other "
            f"figures. How many passed a check is a count, and holds.",
        ]
    return [*said, *_of_reliability(summary)]


def _of_reliability(summary: Summary) -> list[str]:
    if not math.isfinite(summary.alpha):
        return ["How reliable the points are cannot be said: the exercises do not differ enough."]
    low, high = summary.alpha_in
    span = f" (95 % interval {low:.2f} to {high:.2f})" if math.isfinite(low) else ""
    said = [
        f"Cronbach's α over the exercises is {summary.alpha:.2f}{span}: how far they agree on who "
        f"did well. It is taken over exercises since the checks of one depend on each other."
    ]
    if math.isfinite(summary.error):
        said.append(
            f"A student's total is uncertain by about {summary.error:.1f} points (standard error "
            f"of measurement)."
        )
    if summary.alpha < RELIABLE:
        said.append("Differences of a few points between students say little.")
    return said


def of_item(measured: Measured) -> str:
    """A sentence where a check or exercise needs a look; empty where nothing is odd."""
    figures = measured.figures
    if figures.students < FEW:
        return ""
    if measured.discrimination.high < 0:
        return (
            f"Who is good at the rest does worse here. Look at {_names(measured.against)}, and at "
            f"whether the check asks what the text says."
        )
    if figures.discrimination < 0:
        return (
            f"Who is good at the rest does no better here (by chance perhaps: the interval holds "
            f"0). Look at {_names(measured.against)}."
        )
    if figures.facility == 1:
        return "All have full points, so it tells nobody from another."
    if figures.facility == 0:
        return "Nobody has a point here. Is it asked for clearly?"
    return ""


def _names(students: tuple[str, ...]) -> str:
    return ", ".join(students) or "the submissions"
