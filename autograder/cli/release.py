"""`autograder release`: what an instructor hands out."""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.compare import Compared, compared
from autograder.authoring.kit_files import FileForm
from autograder.authoring.recording import MAX_KEPT, How
from autograder.authoring.release import Handout, bundle, update, without_work, write
from autograder.authoring.wheel import zipped
from autograder.course.cache import Cache
from autograder.course.course_file import Course, Exercise, HintPolicy, find_course
from autograder.course.errors import UserError
from autograder.course.installation import require, require_libraries
from autograder.course.text import number, several

ZIP = ".zip"


def run(
    target: Path,
    names: Sequence[str],
    assignments: Sequence[str],
    policy: HintPolicy | None,
    form: FileForm,
    seeds: int,
    again: bool,
    compare: bool,
    workers: int | None,
    anew: bool,
    course_path: Path | None,
) -> int:
    course = find_course(Path.cwd(), named=course_path)
    if course.content.released is not None:
        raise UserError(f"{course.root} is a released course already: it has no answers to record.")
    wanted = Handout(
        _chosen(course, names, assignments), policy or course.content.hints, form, seeds
    )
    require_libraries(wanted.exercises)
    if form == "ipynb":
        require("authoring", "autograder release --as ipynb")
    _refuse_what_is_there(target, again)
    files = bundle(
        course,
        wanted,
        _said,
        How(workers or min(2, os.cpu_count() or 1), anew, Cache.of_user("recorded", MAX_KEPT)),
    )
    kept: list[str] = []
    if target.suffix == ZIP:
        target.write_bytes(zipped(without_work(files) if again else files))
    elif again:
        kept = update(target, files)
    else:
        write(target, files)
    _tell(target, wanted, files, kept)
    return _compared(course, files, wanted.exercises) if compare else 0


def _chosen(
    course: Course, names: Sequence[str], assignments: Sequence[str]
) -> tuple[Exercise, ...]:
    asked = {*names, *(n for each in assignments for n in course.assignment(each).exercises)}
    for name in names:
        course.exercise(name)
    every = course.content.exercises
    return tuple(each for each in every if not asked or each.name in asked)


def _refuse_what_is_there(target: Path, again: bool) -> None:
    if again and target.suffix != ZIP:
        if not target.is_dir():
            raise UserError(f"{target} is not there, so there is nothing to update.")
        return
    if target.exists() and (target.is_file() or any(target.iterdir())):
        raise UserError(
            f"{target} is there already. Name another place, or add --update, which keeps what "
            f"students wrote."
            if target.is_dir()
            else f"{target} is there already; name another."
        )
    if not target.absolute().parent.is_dir():
        raise UserError(f"{target.absolute().parent} is not there.")


def _said(what: str) -> None:
    print(f"recorded: {what}", file=sys.stderr, flush=True)


def _tell(target: Path, wanted: Handout, files: dict[str, bytes], kept: Sequence[str]) -> None:
    size = sum(map(len, files.values())) / 1e6
    policy = {"practice": "every hint", "homework": "no third hint", "exam": "no hint, no finding"}
    print(
        f"{target}: {several(len(wanted.exercises), 'exercise')} ({wanted.policy}: "
        f"{policy[wanted.policy]}), {number(round(size, 1))} MB, no answer in it."
    )
    for name in kept:
        print(f"Kept {name}, which was written in.")


def _compared(course: Course, files: dict[str, bytes], exercises: Sequence[Exercise]) -> int:
    whole = Compared("all")
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        folder = Path(scratch).resolve()
        write(folder, files)
        print(f"\n{'exercise':32}{'work':>6}{'same':>7}{'not told':>10}{'names':>12}{'time':>7}")
        for found in compared(course, folder, exercises):
            print(_row(found), flush=True)
            whole.add(found)
            for said in [*found.differences, *found.false_names, *found.not_named]:
                print(f"    {said}")
    print(_row(whole))
    return 0 if whole.holds else 1


def _row(found: Compared) -> str:
    names = f"{found.also_named} of {found.named}"
    share = found.seconds / found.seconds_full if found.seconds_full else 1.0
    counts = f"{found.works:>6}{found.same:>7}{found.untold:>10}{names:>12}{share:>7.2f}"
    return f"{found.exercise:32}{counts}"
