"""What a student has been shown so far, kept beside the file that is checked."""

from pathlib import Path

import msgspec

from autograder.report.hints import Attempts

FOLDER = ".autograder"


def attempts_file(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.json"


def read_attempts(path: Path) -> Attempts:
    """What was shown before; a file that is missing or damaged stands for nothing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Attempts)
    except (OSError, msgspec.DecodeError):
        return Attempts()


def write_attempts(path: Path, attempts: Attempts) -> None:
    """Keep it for the next time; where that cannot be written, hints start anew."""
    try:
        path.parent.mkdir(exist_ok=True)
        (path.parent / ".gitignore").write_text("*\n")  # it is nobody else's
        path.write_bytes(msgspec.json.encode(attempts))
    except OSError:
        return
