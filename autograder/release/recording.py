"""Records made: released checks run on right and wrong work, and the reference answers them."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autograder.course import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.grading.graded import Wanted
from autograder.grading.plugin import CheckResult
from autograder.grading.session import Judge
from autograder.own_modules import importable
from autograder.recorded.packing import HiddenCheck, Recorded, RecordedAnswers, canary
from autograder.recorded.while_checking import record_with
from autograder.release.check_code import FIND
from autograder.release.recorder import Recorder
from autograder.sandbox.levels import children_on, choose
from autograder.submission.read import UnreadableFile
from autograder.submission.siblings import Siblings
from autograder.submission.source import SUFFIXES, Source, read_source

HINTS: dict[HintPolicy, int] = {"practice": 3, "homework": 2, "exam": 0}
STAND_IN = re.compile(rf"{FIND}\('([\w.]+)'\)")


def works(course: Course, exercise: Exercise) -> Iterator[Source]:
    """Work on an exercise that the course has: its solution, right answers, and wrong ones."""
    right = course.root / course.content.right / exercise.name
    paths = [course.solution_file(exercise.name)]
    for folder in (right, right.parent.parent / "wrong" / exercise.name):
        paths += sorted(each for each in folder.glob("*") if each.suffix in SUFFIXES)
    for path in paths:
        try:
            yield read_source(path, exercise.name, Siblings(path.parent))
        except UnreadableFile:
            continue


class ReferenceAnswers(msgspec.Struct):
    """What the reference answered to the checks of one exercise.

    `untold` are the checks that a released course cannot tell even of the course's own solution.
    """

    constants: dict[str, bytes]
    functions: dict[str, RecordedAnswers]
    values: list[bytes]
    untold: list[str]


def recorded_answers(course: Course, bundle: Path, exercise: Exercise) -> ReferenceAnswers:
    """What the checks of the released course in a folder ask of the reference, and its answers."""
    made = load_course(bundle / FILE_NAME)
    assert made.content.released is not None
    untold: dict[str, None] = {}
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(made, [exercise], children) as judge:
            with importable(course):
                recorder = Recorder(course.content.reference, asked_of(bundle, exercise))
            record_with(recorder)
            try:
                sources = list(works(course, exercise))
                for seed in made.content.released.seeds:
                    for place, source in enumerate(sources):
                        results = judge.run(source, Wanted(seed=seed)).results
                        told = (r.name for r in results if r.outcome == "not told" and not place)
                        untold |= dict.fromkeys(told)
            finally:
                record_with(None)
    values = list(recorder.values)
    return ReferenceAnswers(recorder.constants, recorder.functions, values, list(untold))


def asked_of(bundle: Path, exercise: Exercise) -> set[str]:
    """The modules of the reference that released code has stand-ins from."""
    texts = [path.read_text(encoding="utf-8") for path in bundle.rglob("*.py")]
    names = {name for text in texts for name in STAND_IN.findall(text)}
    found = {name.rpartition(".")[0] for name in names} - {""}
    return found | ({"modules"} if exercise.needs == "torch" else set())


def finished(
    answers: ReferenceAnswers,
    exercise: Exercise,
    checks: Sequence[CheckResult],
    policy: HintPolicy,
    released: tuple[str, tuple[int, ...]],
) -> Recorded:
    """The record as it is written; hints beyond what the policy shows are left out."""
    digest, seeds = released
    most = HINTS[policy]
    public = [check for check in checks if not check.hidden]
    return Recorded(
        exercise=exercise.name,
        digest=digest,
        numpy=np.__version__,
        seeds=list(seeds),
        canary=canary().sums.tolist(),
        order=[check.name for check in checks],
        hints={check.name: check.hints[:most] for check in public if check.hints[:most]},
        hidden=[HiddenCheck(c.name, c.title, c.weight) for c in checks if c.hidden],
        weights={check.name: check.weight for check in public},
        untold=answers.untold,
        constants=answers.constants,
        functions=answers.functions,
        values=answers.values,
    )
