"""Pages on similar submissions: the list, and two of them side by side. They hold no script."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import jinja2

from autograder.course.files import plain_folder, write_atomically
from autograder.course.text import printable
from autograder.report.html import environment
from autograder.similarity.fingerprints import Fingerprints, Spans, common_spans
from autograder.similarity.pairs import ExerciseSimilarity, SimilarPair

INDEX, FOLDER = "similar.html", "pairs"

MarkedText = tuple[str, bool]  # of a text, and whether it is in common


class SimilarPages:
    """Writes the pages below a folder."""

    def __init__(self, out: Path, course: str) -> None:
        """Make the folders; pages of pairs that an earlier run left there go.

        Raises:
            OSError: they cannot be made.
        """
        self.out, self.course = out, course
        out.mkdir(parents=True, exist_ok=True)
        plain_folder(out / FOLDER)
        for old in (out / FOLDER).glob("[0-9][0-9][0-9][0-9].html"):
            old.unlink()

    def write(
        self,
        found: Sequence[ExerciseSimilarity],
        code: Mapping[str, Mapping[str, str]],
        known: Fingerprints,
        most: int,
        notes: Sequence[str] = (),
    ) -> int:
        """Write the list, and a page for each of the `most` pairs that stand out most.

        Returns:
            how many pairs have a page.
        """
        pairs = [(exercise, pair) for exercise in found for pair in exercise.pairs]
        pairs.sort(key=lambda each: _rank(*each))
        listed: list[tuple[ExerciseSimilarity, SimilarPair, str]] = []
        for number, (exercise, pair) in enumerate(pairs[:most], 1):
            page = f"{FOLDER}/{number:04}.html"
            listed.append((exercise, pair, page))
            texts = [code[exercise.exercise][student] for student in pair.students]
            sides = [
                (student, pieces(text, spans))
                for student, text, spans in zip(
                    pair.students, texts, common_spans(texts[0], texts[1], known), strict=True
                )
            ]
            self._render("similar_pair.html", page, alike=exercise, pair=pair, sides=sides)
        left_out = len(pairs) - len(listed)
        self._render(INDEX, INDEX, found=found, listed=listed, notes=notes, left_out=left_out)
        return len(listed)

    def _render(self, template: str, page: str, **values: object) -> None:
        text = _templates().get_template(template).render(course=self.course, **values)
        write_atomically(self.out / page, text)


def _templates() -> jinja2.Environment:
    return environment(Path(__file__).parent / "templates")


def _rank(exercise: ExerciseSimilarity, pair: SimilarPair) -> tuple[float, str, tuple[str, str]]:
    """Return what orders pairs: those first that stand out most above their exercise's limit."""
    distance = (exercise.limit - pair.part) / (1 - exercise.limit)
    return distance, exercise.exercise, pair.students


def pieces(text: str, spans: Spans) -> list[MarkedText]:
    """Return a text in pieces, made safe to show, each with whether it is in common."""
    found: list[MarkedText] = []
    at = 0
    for start, end in [*spans, (len(text), len(text))]:
        for piece, common in ((text[at:start], False), (text[start:end], True)):
            if piece:
                found.append((printable(piece, len(piece)), common))
        at = end
    return found
