"""Pages about similar submissions: a list, and pairs side by side."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course.files import plain_folder, write_atomically
from autograder.course.text import printable
from autograder.report.html import environment
from autograder.similarity.pairs import (
    ExerciseSimilarity,
    Fingerprints,
    SimilarPair,
    Spans,
    common_spans,
)
from autograder.similarity.submitted_code import ClassCode

INDEX, FOLDER = "similar.html", "pairs"


def write_pages(
    out: Path,
    course: str,
    exercises: Sequence[ExerciseSimilarity],
    submitted: ClassCode,
    known: Fingerprints,
    most: int,
) -> int:
    out.mkdir(parents=True, exist_ok=True)
    plain_folder(out / FOLDER)
    for old in (out / FOLDER).glob("[0-9][0-9][0-9][0-9].html"):
        old.unlink()
    templates = environment(Path(__file__).parent / "templates")
    pairs = [(exercise, pair) for exercise in exercises for pair in exercise.pairs]
    pairs.sort(key=lambda row: _rank(*row))
    listed: list[tuple[ExerciseSimilarity, SimilarPair, str]] = []
    for number, (exercise, pair) in enumerate(pairs[:most], 1):
        page = f"{FOLDER}/{number:04}.html"
        listed.append((exercise, pair, page))
        texts = [submitted.code[exercise.exercise][student] for student in pair.students]
        marked = map(pieces, texts, common_spans(texts[0], texts[1], known))
        sides = list(zip(pair.students, marked, strict=True))
        text = templates.get_template("similar_pair.html").render(
            course=course, alike=exercise, pair=pair, sides=sides
        )
        write_atomically(out / page, text)
    text = templates.get_template(INDEX).render(
        course=course,
        found=exercises,
        listed=listed,
        notes=submitted.notes,
        left_out=len(pairs) - len(listed),
    )
    write_atomically(out / INDEX, text)
    return len(listed)


def _rank(exercise: ExerciseSimilarity, pair: SimilarPair) -> tuple[float, str, tuple[str, str]]:
    return (exercise.limit - pair.part) / (1 - exercise.limit), exercise.exercise, pair.students


def pieces(text: str, spans: Spans) -> list[tuple[str, bool]]:
    """Return a text's printable pieces. Each has True if both texts share it."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in [*spans, (len(text), len(text))]:
        pieces += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [(printable(piece, len(piece)), common) for piece, common in pieces if piece]
