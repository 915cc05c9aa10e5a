"""How an exercise stood when it was last checked, kept beside the work for whoever did it."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.report.kept import FOLDER, read_kept, write_kept
from autograder.report.model import CheckReport, ExerciseReport, Status
from autograder.untold import is_left_to_grading


class LastCheck(msgspec.Struct, frozen=True):
    """What a check of one exercise found; `digest` is of its source, where that was saved.

    `passed` are the names of the checks that passed, `checks` is how many there are.
    """

    file: str
    digest: str
    checked: datetime
    status: Status
    points: float
    max_points: float
    passed: tuple[str, ...] = ()
    checks: int = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do: full marks, or all answered for a person to read."""
        if self.status == "by hand":
            return len(self.passed) == self.checks
        return self.status == "graded" and self.points == self.max_points


def progress_file(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.progress.json"


def read_progress(source: Path, exercise: str) -> LastCheck | None:
    """What is kept of the exercise beside a file; None where nothing is."""
    return read_kept(progress_file(source, exercise), LastCheck)


def progress_of(shown: ExerciseReport, now: datetime | None = None) -> LastCheck:
    """What to keep of a report: of what its student may see, and of nothing else."""
    return LastCheck(
        file=shown.file,
        digest=shown.digest,
        checked=(now or datetime.now(UTC)).replace(microsecond=0),
        status=shown.status,
        points=shown.points,
        max_points=round(shown.max_points - sum(map(_untold, shown.checks)), 2),
        passed=tuple(check.name for check in shown.checks if check.outcome == "passed"),
        checks=sum(not _is_untold(check) for check in shown.checks),
    )


def _untold(check: CheckReport) -> float:
    """The points of a check that a released course does not tell."""
    return check.max_points if _is_untold(check) else 0.0


def _is_untold(check: CheckReport) -> bool:
    """Whether it is told when the work is graded, and not before."""
    return check.outcome == "not told" and is_left_to_grading(check.finding)


def write_progress(source: Path, shown: ExerciseReport) -> None:
    """Keep how a student's report on an exercise stands, beside its file."""
    write_kept(progress_file(source, shown.name), progress_of(shown))
