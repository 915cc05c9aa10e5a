"""A slip of an author's, as one sentence with a file and a line, and the error made of some."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import UserError
from autograder.text import few, nearest, several

MOST_SAID = 20
MOST_NAMES = 12


@dataclass(frozen=True, order=True)
class Slip:
    """What is wrong in a file of the course, and where; lines count from 1."""

    path: Path
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.says}"


class CourseSlips(UserError):
    """A course that cannot be used as it is. No submission is at fault, so none is graded."""

    def __init__(self, slips: Sequence[Slip]) -> None:
        self.slips = tuple(dict.fromkeys(slips))
        said = [str(slip) for slip in self.slips[:MOST_SAID]]
        if len(self.slips) == 1:
            said.append("The slip is the course's: nothing was graded, and no submission is wrong.")
        else:
            count = several(len(self.slips), "slip")
            said.insert(
                0, f"{count} in the course: nothing was graded, and no submission is wrong."
            )
        if len(self.slips) > MOST_SAID:
            said.append(f"… and {len(self.slips) - MOST_SAID} more.")
        super().__init__("\n".join(said))


def meant(word: str, known: Iterable[str]) -> str:
    """What was probably meant, for the end of a sentence: the nearest name, or all there are."""
    names = sorted(dict.fromkeys(known))
    near = nearest(word, names)
    if near:
        return f"; did you mean `{near}`?"
    return f"; there is {few(names, MOST_NAMES)}." if names else "."
