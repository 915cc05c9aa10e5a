"""Numbers of correct solutions and misconceptions that a student kit recognises."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import msgspec

from autograder.authoring.course_submissions import (
    SimulatedClient,
    judge_for,
    right_answers,
    solution_module,
    with_functions,
    with_misconceptions,
)
from autograder.authoring.diagnosis_records import reasons_without_names
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.course.text import few
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.recipe import Fingerprint
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.diagnoses import Catalogue
from autograder.grading.judge import Judge, RunOptions
from autograder.report.model import ExerciseReport

DRAWS = 2
ENOUGH = 0.95  # a smaller share causes a warning
MOST_TRIED = 40  # misconceptions for each exercise, evenly spaced in the list


class KitShares(msgspec.Struct):
    """Counts of an exercise's solutions and misconceptions that a student kit recognises.

    A misconception counts as named if a failed visible check gives its name and no other name. A
    misconception that passes all visible checks is not counted. A correct solution counts as
    complete if it passes all visible checks.
    """

    exercise: str
    misconceptions: int = 0
    named: int = 0
    right: int = 0
    complete: int = 0
    not_named: list[str] = []
    not_complete: list[str] = []
    impossible: list[str] = []  # checks that no right answer passes
    reasons: list[str] = []

    def warnings(self) -> Iterator[str]:
        """Yield each reason in `reasons`, and a warning for each share below 95 %."""
        yield from self.reasons
        is_low = self.named < ENOUGH * self.misconceptions or self.complete < ENOUGH * self.right
        if is_low and self.not_complete:
            ungraded = few(self.not_complete, 8)
            yield f"the kit leaves checks of these right answers ungraded: {ungraded}"
        if is_low and self.not_named:
            yield f"the kit does not name these misconceptions: {few(self.not_named, 8)}"


class WrongAnswer(NamedTuple):
    """Misconception, as code or as recorded results."""

    function: str
    id: str
    code: ModuleType | Fingerprint
    is_value: bool = False


def kit_shares(course: Course, kit: Path, exercise: Exercise, with_names: bool) -> KitShares:
    """Grade correct solutions and misconceptions with the release in `kit`, and count them."""
    shares = KitShares(exercise.name)
    wrong_answers: list[WrongAnswer] = []
    if with_names:
        with importable(course):  # ends before the judge starts, which would wait
            every = list(_wrong_answers(course, exercise))
            wrong_answers += every[:: -(-len(every) // MOST_TRIED) or 1]
            shares.reasons += reasons_without_names(course, exercise)
    released = load_course(kit / FILE_NAME)
    with judge_for(released, exercise, released.content.seed) as judge:
        about = _count_right_answers(shares, course, exercise, judge)
        for wrong in wrong_answers:
            if isinstance(wrong.code, Fingerprint):
                replay = judge.catalogue.replay(exercise.name, wrong.function)
                named = named_by_answers(replay, wrong.code) if replay is not None else set()
                is_named: bool | None = named == {wrong.id}
            else:
                client = SimulatedClient(course, exercise, wrong.code)
                only = frozenset(name for name, of in about.items() if wrong.function in of)
                is_named = _is_named(wrong, client, judge, only)
                if is_named is False:  # checks of other functions may show the misconception
                    is_named = _is_named(wrong, client, judge, None)
            shares.misconceptions += is_named is not None
            shares.named += is_named is True
            label = f"{wrong.function}, {wrong.id}"
            if is_named is False and label not in shares.not_named:
                shares.not_named.append(label)
    return shares


def _count_right_answers(
    shares: KitShares, course: Course, exercise: Exercise, judge: Judge
) -> dict[str, frozenset[str]]:
    about: dict[str, frozenset[str]] = {}
    titles: dict[str, str] = {}
    passed: set[str] = set()
    for source in right_answers(course, exercise):
        results = [each for each in judge.run(source).results if not each.check.hidden]
        about = about or {each.name: frozenset(each.about) for each in results}
        titles |= {each.name: each.check.title for each in results}
        passed |= {each.name for each in results if each.outcome == "passed"}
        left = [each.check.title for each in results if each.outcome != "passed"]
        shares.right += 1
        shares.complete += not left
        if left:
            shares.not_complete.append(f"{Path(source.label).stem} ({few(left, 3)})")
    shares.impossible += [title for name, title in titles.items() if name not in passed]
    return about


def _is_named(
    wrong: WrongAnswer, client: SimulatedClient, judge: Judge, only: frozenset[str] | None
) -> bool | None:
    """Return True if the report names only the mistake that was made.

    If no visible check fails, return None. For a mistake in a module-level value, the report may
    also name other mistakes that give the same value.
    """
    report = judge.run(client, RunOptions(only)).report
    shown = tuple(each for each in report.checks if not each.hidden)
    if shown and all(each.outcome == "passed" for each in shown):
        return None
    named = named_in(msgspec.structs.replace(report, checks=shown), wrong.function)
    return wrong.id in named if wrong.is_value else named == {wrong.id}


def _wrong_answers(course: Course, exercise: Exercise) -> Iterator[WrongAnswer]:
    module = solution_module(course, exercise)
    catalogue = Catalogue(course.content.reference)
    for function, recipe in catalogue.recipes(exercise.name).items():
        replay = catalogue.replay(exercise.name, function)
        assert replay is not None
        for wrong in recipe.misconceptions:
            if isinstance(wrong, Fingerprint):
                yield WrongAnswer(function, wrong.id, wrong)
            elif not replay.gives_only_nan(wrong):
                changed = with_misconceptions(module, recipe, (wrong,))
                yield WrongAnswer(function, wrong.id, changed)
    simulated = catalogue.mistakes(exercise.name).simulated_values
    for name, wrong_id, values in simulated() if simulated is not None else ():
        changed = with_functions(module, values)
        yield WrongAnswer(name, wrong_id, changed, is_value=True)


def refuse_impossible_checks(shares: Sequence[KitShares]) -> None:
    """Refuse a release that has a check which no correct solution passes."""
    for each in shares:
        if each.impossible:
            raise UserError(
                f"No kit was written: no correct solution of {each.exercise} passes "
                f"{few([f'“{title}”' for title in each.impossible], 4)} in the kit. In "
                f"this check, import each class and function of the reference by name, and "
                f"call it with plain data. Or compare only the student's values with each "
                f"other. Or mark the check as hidden."
            )


def named_in(report: ExerciseReport, function: str) -> set[str]:
    diagnoses = (check.diagnosis for check in report.checks)
    named = (each for each in diagnoses if each is not None and each.kind == "named")
    return {name for each in named if each.function == function for name in each.misconceptions}


def named_by_answers(replay: Replay, wrong: Fingerprint) -> set[str]:
    """Return the names of a mistake whose recorded results alone are known, if they still fit."""
    if not wrong.outcomes:
        return set()
    places = {id(probe): place for place, probe in enumerate(replay.probes(DRAWS))}
    ask = lambda probe: Answer(wrong.outcome(places.get(id(probe), len(places))))  # noqa: E731
    diagnosis = diagnose(Examination(replay, ask))
    return set(diagnosis.misconceptions) if diagnosis and diagnosis.kind == "named" else set()
