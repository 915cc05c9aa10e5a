"""A report in words alone, for screen readers: no marks, no columns, no pictures of numbers."""

from collections.abc import Iterator

from autograder.course.text import capital, number
from autograder.report.model import CheckReport, Curve, Evidence, ExerciseReport, Matrix
from autograder.report.numbers import digits_for, shape, shown
from autograder.report.presentation import QUIET, check_sentences, opening, presented
from autograder.report.styled_lines import StyledLine
from autograder.report.terminal import place_of, score


def exercise_sentences(
    exercise: ExerciseReport, details: int = 1, where: str = ""
) -> Iterator[StyledLine]:
    """Yield the report on an exercise a sentence a line, as `exercise_lines` in a terminal."""
    for text in _sentences(exercise, details, where or exercise.file):
        yield [(text, "")]


def _sentences(exercise: ExerciseReport, details: int, where: str) -> Iterator[str]:
    start = opening(exercise)
    if start.text:
        yield start.text
    yield f"{exercise.title}, {where}: {score(exercise)}." if where else score(exercise)
    if start.reason:
        yield start.reason
    left, sentences = details, {start.text}
    for place, check in enumerate(presented(exercise).checks, 1):
        points = f", {number(check.points)} of {number(check.max_points)} points"
        points = points if check.max_points else ""
        yield f"Check {place} of {len(exercise.checks)}, {check.outcome}{points}: {check.title}"
        yield from (f"  {text}" for text in _of_check(check, left > 0, sentences))
        left -= check.outcome not in QUIET and not check.hidden
    for note in presented(exercise).notes:
        yield f"Note: {note}"
    if exercise.printed.strip():
        yield "Your code printed:"
        yield from (f"  {text}" for text in exercise.printed.strip().split("\n")[:8])


def _of_check(check: CheckReport, with_values: bool, said: set[str]) -> Iterator[str]:
    if check.note:
        yield check.note
    if check.outcome == "passed":
        return
    sentences = check_sentences(check, said)
    yield from filter(None, sentences)
    said.add(check.finding)
    if with_values and check.evidence is not None:
        yield from _of_evidence(check.evidence)
    if with_values or (check.hidden and sentences.diagnosis):
        for place, hint in enumerate(check.hints, 1):
            yield f"Hint {place}: {hint}"


def _of_evidence(evidence: Evidence) -> Iterator[str]:
    if evidence.call:
        yield f"After {evidence.call}"
    for curve in evidence.curves:
        yield from _of_curve(curve)
    for name, text in evidence.texts:
        yield f"{capital(name)}: {text}"
    yours, expected = evidence.matrices
    if yours is None:
        return
    digits = digits_for(yours, expected or yours)
    yield from _of_matrix("Yours", yours, digits)
    if expected is not None:
        yield from _of_matrix("Expected", expected, digits)


def _of_matrix(word: str, matrix: Matrix, digits: int) -> Iterator[str]:
    yield f"{word}{place_of(matrix)}, shape {shape(matrix.shape)}"
    for row, values in enumerate(matrix.rows):
        name = matrix.names[row] if matrix.names else f"Row {matrix.top + row}"
        wrong = matrix.wrong[row] if word == "Yours" and matrix.wrong else (False,) * len(values)
        texts = [
            f"{shown(value, digits)}{' (differs)' if differs else ''}"
            for value, differs in zip(values, wrong, strict=True)
        ]
        yield f"  {name}: {', '.join(texts)}"


def _of_curve(curve: Curve) -> Iterator[str]:
    yield curve.name
    for x, y, low, high in zip(curve.x, curve.yours, curve.low, curve.high, strict=True):
        yield (
            f"  {curve.against} {shown(x)}: yours {shown(y, 3)}, "
            f"fair {shown(low, 3)} to {shown(high, 3)}"
        )
