"""`autograder release`: make the student kit."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from autograder.authoring.kit_files import FileForm, ReleaseOptions
from autograder.authoring.recording import MAX_KEPT, KitShares, RecordingOptions
from autograder.authoring.release import bundle, shares_of, update, without_work
from autograder.cli.options import PATH, complete_exercise, course_option
from autograder.course.cache import Cache
from autograder.course.course_file import HintPolicy, find_course
from autograder.course.errors import UserError
from autograder.course.files import write_files, zipped
from autograder.course.installation import require, require_libraries
from autograder.course.text import number, several

ZIP = ".zip"
POLICIES = {"practice": "all hints", "homework": "no third hint", "exam": "no hints, no messages"}


@click.command()
@click.argument("target", metavar="DIR", type=PATH)
@click.option(
    "--assignment",
    "assignments",
    multiple=True,
    help="Release the exercises of this assignment. May be repeated.",
)
@click.option(
    "--exercise",
    "exercises",
    multiple=True,
    metavar="EXERCISE",
    shell_complete=complete_exercise,
    help="Release this exercise. May be repeated.",
)
@click.option(
    "--policy",
    type=click.Choice(list(POLICIES)),
    help="What students see of a failed check.  [default: `hints` in course.yml]",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["py", "ipynb"]),
    default="py",
    show_default=True,
    help="Hand out scripts or notebooks.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="Record the answers for this many sets of random inputs.",
)
@click.option(
    "--update", "again", is_flag=True, help="Replace an earlier kit in DIR. Keep students' files."
)
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Number of recording processes.  [default: 2]"
)
@click.option("--anew", is_flag=True, help="Record everything again, without the cache.")
@course_option
def release(
    target: Path,
    assignments: tuple[str, ...],
    exercises: tuple[str, ...],
    policy: HintPolicy | None,
    form: FileForm,
    seeds: int,
    again: bool,
    workers: int | None,
    anew: bool,
    course_path: Path | None,
) -> None:
    """Make the student kit in DIR, a folder or a .zip: exercises, checks and recorded answers.

    The kit has no solution, no reference and no hidden check. An interrupted run resumes, and a
    later run records nothing again until the course changes.
    """
    course = find_course(Path.cwd(), named=course_path)
    if course.content.released is not None:
        raise UserError(
            f"{course.root} is a student kit and has no reference to record. Use the full course."
        )
    require("release", "autograder release")
    names = {course.exercise(name).name for name in exercises}
    for assignment in assignments:
        names.update(course.assignment(assignment).exercises)
    chosen = tuple(e for e in course.content.exercises if not names or e.name in names)
    handout = ReleaseOptions(chosen, policy or course.content.hints, form, seeds)
    require_libraries(chosen)
    if form == "ipynb":
        require("authoring", "autograder release --as ipynb")
    _refuse_existing(target, again)
    processes = workers or min(2, os.cpu_count() or 1)
    how = RecordingOptions(processes, anew, Cache.of_user("recorded", MAX_KEPT), print_recorded)
    files = bundle(course, handout, how)
    shares = shares_of(course, files, handout, how)
    changed: list[str] = []
    if target.suffix == ZIP:
        target.write_bytes(zipped((without_work(files) if again else files).items()))
    elif again:
        changed = update(target, files)
    else:
        write_files(target, files)
    size = number(round(sum(map(len, files.values())) / 1e6, 1))
    print(
        f"{target}: {several(len(chosen), 'exercise')} ({handout.policy}: "
        f"{POLICIES[handout.policy]}), {size} MB, without answers."
    )
    print_shares(shares)
    for name in changed:
        print(f"Kept {name}: a student has changed it.")


def _refuse_existing(target: Path, again: bool) -> None:
    is_update = again and target.suffix != ZIP
    if is_update and not target.is_dir():
        raise UserError(
            f"{target} does not exist, so there is no kit to update. Leave out --update."
        )
    if not is_update and target.is_dir() and any(target.iterdir()):
        raise UserError(
            f"{target} exists. Name another folder, or add --update, which keeps what students "
            f"wrote."
        )
    if not is_update and target.is_file():
        raise UserError(f"{target} exists. Name another file.")
    if not target.absolute().parent.is_dir():
        raise UserError(f"The folder {target.absolute().parent} does not exist. Create it first.")


def print_recorded(name: str) -> None:
    print(f"recorded: {name}", file=sys.stderr, flush=True)


def print_shares(shares: Sequence[KitShares]) -> None:
    """Print how many correct solutions of each exercise the kit judges completely, and warnings."""
    print(f"\n{'exercise':32}{'right answers judged':>24}")
    for share in shares:
        percent = number(int(100 * share.complete / share.right))
        complete = f"{share.complete} of {share.right} ({percent} %)"
        print(f"{share.exercise:32}{complete:>24}")
    for share in shares:
        for text in share.warnings():
            print(f"warning: {share.exercise}: {text}")
