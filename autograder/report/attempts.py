"""What a student has been shown so far, kept beside the file that is checked."""

from pathlib import Path

from autograder.report.hints import Attempts
from autograder.report.kept import FOLDER, read_kept, write_kept


def attempts_file(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.json"


def read_attempts(path: Path) -> Attempts:
    """What was shown before; a file that is missing, damaged or a link stands for nothing."""
    return read_kept(path, Attempts) or Attempts()


def write_attempts(path: Path, attempts: Attempts) -> None:
    """Keep it for the next time; where that cannot be written, hints start anew."""
    write_kept(path, attempts)
