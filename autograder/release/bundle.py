"""The released course: put together, recorded, and looked through before anybody gets it."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.course import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.own_modules import importable
from autograder.release.collected import checks_of
from autograder.release.paper import PACKAGE, Files, Form, paper
from autograder.release.record import finished, record
from autograder.release.records import FOLDER, SUFFIX, pack
from autograder.release.wheel import wheel

Bytes = dict[str, bytes]
Said = Callable[[str], None]


def bundle(
    course: Course,
    exercises: Sequence[Exercise],
    policy: HintPolicy,
    form: Form,
    seeds: int,
    say: Said,
) -> Bytes:
    """All files of the released course, by their path.

    Raises:
        UserError: it cannot be released; it says why.
    """
    with importable(course):
        files = paper(course, exercises, policy, form, seeds)
    whole: Bytes = {name: text.encode() for name, text in files.items()}
    whole |= _records(course, files, exercises, policy, say)
    name, data = wheel()
    return dict(sorted({**whole, name: data}.items()))


def _records(
    course: Course,
    files: Files,
    exercises: Sequence[Exercise],
    policy: HintPolicy,
    say: Said,
) -> Bytes:
    checks = checks_of(course, [exercise.name for exercise in exercises])
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        folder = Path(scratch).resolve()
        write(folder, {name: text.encode() for name, text in files.items()})
        made = load_course(folder / FILE_NAME).content.released
        assert made is not None
        found = record(course, folder, exercises, say)
        about = made.course, made.seeds
        return {
            f"{PACKAGE}/{FOLDER}/{name}{SUFFIX}": pack(
                finished(recorder, course.exercise(name), checks[name], policy, about)
            )
            for name, recorder in found.items()
        }


def write(folder: Path, files: Bytes) -> None:
    """Write files into a folder, which is made."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
