"""The files that continuous integration asks for, written where it wants them."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.errors import UserError
from autograder.files import write_whole

if TYPE_CHECKING:
    from autograder.report.ci.case import Shown


class ResultFiles(msgspec.Struct, frozen=True):
    """Which files are asked for, and whether the log gets annotations."""

    junit: Path | None = None
    ctrf: Path | None = None
    summary: Path | None = None
    annotate: bool = False

    def __bool__(self) -> bool:
        return self.annotate or any((self.junit, self.ctrf, self.summary))


def write(wanted: ResultFiles, shown: "Sequence[Shown]") -> None:
    """Write what is asked for, and print annotations, to where no program reads the output.

    Raises:
        UserError: a file cannot be written.
    """
    from autograder.report.ci.annotations import annotations
    from autograder.report.ci.ctrf import ctrf
    from autograder.report.ci.job_summary import summary
    from autograder.report.ci.junit import junit

    made = ((wanted.junit, junit), (wanted.ctrf, ctrf), (wanted.summary, summary))
    for path, make in made:
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, make(shown))
            except OSError as error:
                raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    if wanted.annotate:
        for line in annotations(shown):
            print(line, file=sys.stderr)
