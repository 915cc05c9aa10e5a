"""The list of who is alike, and two submissions side by side: pages without a script."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course.files import plain_folder, write_atomically
from autograder.course.text import printable
from autograder.report.html import environment
from autograder.similarity.fingerprints import Fingerprints, Spans, common_spans
from autograder.similarity.pairs import ExerciseSimilarity, SimilarPair

INDEX, FOLDER = "similar.html", "pairs"

MarkedText = tuple[str, bool]  # of a text, and whether it is in common
Listed = tuple[ExerciseSimilarity, SimilarPair, str]  # with the page of the two


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
        """Write the list, and a page for each of the `most` pairs that stand out most."""
        pairs = [(each, pair) for each in found for pair in each.pairs]
        pairs.sort(key=_by_standing_out)
        listed: list[Listed] = []
        for number, (each, pair) in enumerate(pairs[:most], 1):
            page = f"{FOLDER}/{number:04}.html"
            listed.append((each, pair, page))
            self._write_pair(page, each, pair, code[each.exercise], known)
        shown = {"course": self.course, "found": found, "listed": listed, "notes": notes}
        text = environment().get_template(INDEX).render(**shown, left_out=len(pairs) - len(listed))
        write_atomically(self.out / INDEX, text)
        return len(listed)

    def _write_pair(
        self,
        page: str,
        each: ExerciseSimilarity,
        pair: SimilarPair,
        code: Mapping[str, str],
        known: Fingerprints,
    ) -> None:
        texts = code[pair.students[0]], code[pair.students[1]]
        marked = common_spans(*texts, known)
        sides = [
            (student, pieces(text, stretches))
            for student, text, stretches in zip(pair.students, texts, marked, strict=True)
        ]
        template = environment().get_template("similar_pair.html")
        write_atomically(
            self.out / page, template.render(course=self.course, alike=each, pair=pair, sides=sides)
        )


def _by_standing_out(
    found: tuple[ExerciseSimilarity, SimilarPair],
) -> tuple[float, str, tuple[str, str]]:
    each, pair = found
    return (each.limit - pair.part) / (1 - each.limit), each.exercise, pair.students


def pieces(text: str, stretches: Spans) -> list[MarkedText]:
    """A text in pieces, made safe to show, each with whether it is in common."""
    found: list[MarkedText] = []
    at = 0
    for start, end in [*stretches, (len(text), len(text))]:
        for piece, common in ((text[at:start], False), (text[start:end], True)):
            if piece:
                found.append((printable(piece, len(piece)), common))
        at = end
    return found
