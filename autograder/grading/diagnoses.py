"""Diagnoses of a submission's failed checks, one for each wrong function."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from autograder.checks.check_result import CheckResult
from autograder.checks.proxy import Call, Submission
from autograder.checks.recorded_answers import FOLDER, read_packed
from autograder.course.course_file import Course
from autograder.diagnosis.callers import ModuleCaller
from autograder.diagnosis.errors import explain
from autograder.diagnosis.examination import Answer, Ask, Examination
from autograder.diagnosis.finding import Finding, located, stated, with_error
from autograder.diagnosis.kept_state import (
    ENDED,
    REMEMBERS,
    dependence_of,
    loop_ended,
    parameters_moved,
    with_lines,
)
from autograder.diagnosis.mistakes import Mistakes, WrongMistakes, known_mistakes
from autograder.diagnosis.outcome import RAISES, Outcome
from autograder.diagnosis.recipe import LibraryObject, Probe, Recipe, no_input_causes
from autograder.diagnosis.recorded_replay import NAMES_SUFFIX, RecordedNames, RecordedReplay
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit
from autograder.report.model import Diagnosis
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import Raised, StudentProblem, where
from autograder.sandbox.session import WorkerSession
from autograder.submission.code import users_of, without_return
from autograder.worker.codec import Tensor

SECONDS = 30.0  # of the judge's processor time
SEEDS = ("random.seed", "numpy.random.seed", "torch.manual_seed")
# Mistakes that only a check can find, because the values of a function do not show them.
NOT_IN_VALUES = {"changes-its-argument", "remembers", "parameter-missing", "projection-bias"}
NOT_IN_VALUES |= {"wrong-in-evaluation", "nothing-in-evaluation", "dropout-not-asked-for"}


class Stopped(Exception):
    """Exception: the time or the process of the submission has ended."""


class Catalogue:
    """Misconceptions of a course, loaded at their first use."""

    def __init__(self, reference: str) -> None:
        self.reference = reference
        self._mistakes: dict[str, Mistakes] = {}
        self._replays: dict[tuple[str, str], Replay | None] = {}
        self._faults: list[Exception] = []

    @property
    def faults(self) -> list[Exception]:
        """Authoring errors. Diagnoses ignore them, and `verify` reports them."""
        return [*self._faults, *(error for r in self._replays.values() if r for error in r.faults)]

    def note(self, error: Exception) -> None:
        """Record an exception that no student's result can have caused."""
        if no_input_causes(error) or isinstance(error, WrongMistakes):
            self._faults.append(error)

    def mistakes(self, exercise: str) -> Mistakes:
        """Return the known mistakes of an exercise. An unusable module may raise any exception."""
        if exercise not in self._mistakes:
            self._mistakes[exercise] = known_mistakes(self.reference, exercise)
        return self._mistakes[exercise]

    def recipes(self, exercise: str) -> Mapping[str, Recipe]:
        return self.mistakes(exercise).recipes

    def replay(self, exercise: str, function: str) -> Replay | None:
        key = exercise, function
        if key not in self._replays:
            self._replays[key] = self._new_replay(exercise, function)
        return self._replays[key]

    def _new_replay(self, exercise: str, function: str) -> Replay | None:
        recipe = self.recipes(exercise).get(function)
        return Replay(recipe) if recipe is not None else None


class _RecordedCatalogue(Catalogue):
    """Catalogue of a student kit, with recorded results of misconceptions instead of their code."""

    def __init__(self, course: Course) -> None:
        super().__init__(course.content.reference)
        self.folder = course.root / course.content.reference / FOLDER
        self._records: dict[str, RecordedNames] = {}

    def mistakes(self, exercise: str) -> Mistakes:  # noqa: ARG002
        return Mistakes()

    def _new_replay(self, exercise: str, function: str) -> Replay | None:
        path, none = self.folder / f"{exercise}{NAMES_SUFFIX}", RecordedNames([])
        if exercise not in self._records:
            self._records[exercise] = read_packed(path, RecordedNames) if path.is_file() else none
        by_name = {recorded.name: recorded for recorded in self._records[exercise].functions}
        return RecordedReplay(by_name[function], self.reference) if function in by_name else None


def catalogue_of(course: Course) -> Catalogue:
    """Return the course's misconceptions: as code, or in a student kit as recorded results."""
    is_kit = course.content.released is not None
    return _RecordedCatalogue(course) if is_kit else Catalogue(course.content.reference)


@np.errstate(all="ignore")  # wrong numbers may overflow, and students would see the warning
def with_diagnoses(
    catalogue: Catalogue, exercise: str, results: Sequence[CheckResult], session: WorkerSession
) -> list[CheckResult]:
    """Return the results, with a diagnosis for each function that a failed check called.

    Points do not change. Diagnoses that take too long are left out. If the grader itself failed,
    raise `InternalError`.
    """
    diagnosed, diagnoses = [*results], _Diagnoses(catalogue, exercise, session, results)
    with contextlib.suppress(CpuLimitExceeded, MemoryError), cpu_limit(SECONDS):
        for number, result in enumerate(results):
            if result.can_be_diagnosed:
                diagnosed[number] = diagnoses.added_to(result)
    return diagnosed


@dataclass
class _Diagnoses:
    """Diagnoses of one submission. `known` has functions' findings, and ids of wrong results."""

    catalogue: Catalogue
    exercise: str
    session: WorkerSession
    results: Sequence[CheckResult]
    known: dict[str, tuple[Finding | None, str]] = field(default_factory=dict)
    examinations: dict[str, Examination] = field(default_factory=dict)
    independent: set[str] = field(default_factory=set)  # functions that certainly keep no state

    def added_to(self, result: CheckResult) -> CheckResult:
        said, about, group = self._finding(result)
        hints = (said.hints if said is not None else ()) or result.hints
        own = self._own(result, said, about)
        if own is not None:
            said = Finding("named", own.finding, own.misconceptions, told=own.told, code="own")
            about, hints = own.function, result.hints
        dependence, evidence = self._dependence(result, said), result.evidence
        if dependence is not None and evidence is not None:
            code, words = dependence
            said = _depending(code, said)
            about = evidence.function
            evidence = msgspec.structs.replace(evidence, call=evidence.call + words)
        if said is None:
            return msgspec.structs.replace(result, group=group)
        diagnosis = with_lines(said, self.session.source.units).about(about)
        return msgspec.structs.replace(
            result,
            diagnosis=diagnosis.beside(result.finding),
            evidence=evidence,
            group="" if diagnosis.kind == "named" else group,
            hints=hints,
        )

    def _finding(self, result: CheckResult) -> tuple[Finding | None, str, str]:
        """Return the finding of a check, the function it is about, and the group of its result."""
        group = ""
        for function in result.about:
            finding, id_of_answers = self._known(function, result)
            group = group or id_of_answers
            if result.kind != "raised" and finding is not None and finding.tells_only_errors:
                continue  # the report shows no call that stops
            if finding is not None and not self._follows_from_called(function, finding):
                about = self._origin(function, finding)
                return (*self._of_shown_call(result, finding, about), group)
        return None, "", group

    def _known(self, function: str, result: CheckResult) -> tuple[Finding | None, str]:
        if function not in self.known:
            self.known[function] = self._examined(function, result)
        return self.known[function]

    def _of_shown_call(self, result: CheckResult, said: Finding, about: str) -> tuple[Finding, str]:
        """Return the finding about the function of the shown call, if it has one of its own.

        `said` is about another function. It stays if the shown call's function calls that one,
        unless a different mistake has a name, or a check of that other function says it.
        """
        shown = result.evidence.function if result.evidence is not None else ""
        if shown == about or shown not in result.about or result.kind == "raised":
            return said, about
        finding, _ = self._known(shown, result)
        if finding is None or self._follows_from_called(shown, finding):
            return said, about
        if finding.kind == "named":
            is_other = {*finding.misconceptions}.isdisjoint(said.misconceptions)
        else:
            is_other = self._has_a_check(about, result)
        is_apart = shown not in users_of(self.session.source.units, {about})
        return (finding, shown) if is_apart or is_other else (said, about)

    def _has_a_check(self, function: str, result: CheckResult) -> bool:
        """Return True if the diagnosis of a function explains another failed check."""
        return any(
            other.evidence is not None and other.evidence.function == function
            for other in self.results
            if other is not result and other.own is None and other.can_be_diagnosed
        )

    def _own(self, result: CheckResult, other: Finding | None, about: str) -> Diagnosis | None:
        """Return the check's own diagnosis if nothing refutes it, and if it says more."""
        if (own := result.own) is None or self._refutes(own):
            return None  # its sentence is still the check's finding
        if other is None or other.kind != "named":
            return own
        names = {*own.misconceptions} - {*other.misconceptions}
        users = users_of(self.session.source.units, {about})
        is_elsewhere = own.function not in users
        if "not-refused" in names:  # a constructor has no values
            is_elsewhere = about != own.function or self._is_module(about)
        is_apart = is_elsewhere or result.separate
        return own if (names if is_apart else names & NOT_IN_VALUES) else None

    def _is_module(self, name: str) -> bool:
        examination = self.examinations.get(name)
        return examination is not None and isinstance(
            examination.replay.recipe.caller, ModuleCaller
        )

    def _follows_from_called(self, function: str, finding: Finding) -> bool:
        """Return True if the finding may be a coincidence: a called function is always wrong."""
        return finding.kind == "named" and any(
            other != function
            and not any(examination.right)
            and (found := self.known[other][0]) is not None
            and not {*finding.misconceptions} & {*found.misconceptions}
            and function in users_of(self.session.source.units, {other})
            for other, examination in self.examinations.items()
        )

    def _refutes(self, own: Diagnosis) -> bool:
        if (examination := self.examinations.get(own.function)) is None or all(examination.right):
            return False
        replay = examination.replay
        ways = [wrong for wrong in replay.singles if wrong[0].id in own.misconceptions]
        return bool(ways) and not replay.giving(ways, examination.outcomes, examination.everywhere)

    def _examined(self, function: str, result: CheckResult) -> tuple[Finding | None, str]:
        """Return the finding about a function, and an id that is equal for equal wrong results."""
        replay = None
        try:
            replay = self.catalogue.replay(self.exercise, function)
            if replay is not None:
                finding, id_of_answers = self._replayed(replay)
            else:
                finding, id_of_answers = self._explained_value(function), ""
        except InternalError:
            raise
        except Exception as error:  # no misconception leads to such an answer
            self.catalogue.note(error)  # the points are already final
            return None, ""
        if finding and replay and result.calls:
            call, raised = result.calls[-1], result.calls[-1].outcome  # not those of a probe
            if call.name == function and isinstance(raised, Raised):
                finding = with_error(finding, _explained(raised, replay.recipe, call, self.session))
        return finding, id_of_answers

    def _dependence(self, result: CheckResult, said: Finding | None) -> tuple[str, str] | None:
        """Return how the shown call depends on earlier calls, unless another mistake is named."""
        remembers = said is not None and REMEMBERS in said.misconceptions
        is_named = said is not None and said.kind == "named"
        name = result.calls[-1].name if result.calls else ""
        is_clear = (is_named or name in self.independent) and not remembers
        if is_clear or not result.calls or not result.calls[-1].is_repeatable:
            return None
        # beside another mistake, a call alone is not right
        found, compared = None, (None, None) if said and said.statements[1:] else result.compared
        with contextlib.suppress(StudentProblem):
            found = dependence_of(result.calls, compared, self._repeat)
        self.independent.update(() if found else {name})
        return found

    def _repeat(self, calls: Sequence[Call], seed: int) -> Any:
        submission = Submission(self.session.fresh(), is_aside=True)
        for generator in SEEDS if seed else ():
            if generator != "torch.manual_seed" or self.session.source.imports("torch"):
                submission.make(generator, seed)
        return submission.repeat(calls)

    def _replayed(self, replay: Replay) -> tuple[Finding | None, str]:
        def alone() -> Ask:
            submission = Submission(self.session.fresh())
            return lambda probe: answer_to(submission, replay.recipe, probe)

        examination = Examination(replay, alone(), alone)
        self.examinations[replay.recipe.function] = examination
        finding = diagnose(examination)
        wrong = [examination.outcomes[number] for number in examination.wrong]
        changed = next((a.changed for a in examination.answers if a.changed), "")
        if wrong and changed:
            more = stated("changes_argument", name=changed)
            finding = finding.with_more(more) if finding else located("statements", more)
        units, recipe = self.session.source.units, replay.recipe
        if wrong and not any(outcome.raised for outcome in wrong):
            finding = loop_ended(units, recipe.function) or finding
        if wrong and recipe.caller is None:
            finding = parameters_moved(units, recipe.function, recipe.parameters) or finding
        return finding, examination.group() if not all(examination.right) else ""

    def _explained_value(self, name: str) -> Finding | None:
        explain_value = self.catalogue.mistakes(self.exercise).explain_value
        if explain_value is None:
            return None
        # in a new process, which has seen no check, above all no hidden check
        submission = Submission(self.session.fresh())
        return explain_value(name, submission.value, submission.variant)

    def _origin(self, function: str, finding: Finding) -> str:
        """Return the function with the mistake: `function` itself, or a function that it calls."""
        names = finding.misconceptions if finding.misconceptions != (ENDED,) else ()
        for other, (found, _) in sorted(self.known.items()):
            is_same = names and found is not None and found.misconceptions == names
            if is_same and function in users_of(self.session.source.units, {other}) - {other}:
                return other
        return function


def _depending(code: str, said: Finding | None) -> Finding:
    more = said.statements[1:] if said is not None and said.code == "order_dependent" else ()
    return located("order_dependent", stated(code), *more, names=(REMEMBERS,))


def _explained(error: Raised, recipe: Recipe, call: Call | Probe, session: WorkerSession) -> str:
    silent = without_return(session.source.units) if "NoneType" in error.message else None
    if silent is not None:
        return f"{error.finding} {silent.function}{where(silent)} has no `return`: it returns None."
    sizes: Mapping[str, int] = {}
    with contextlib.suppress(Exception):  # a check may call the function with other arguments
        sizes = recipe.axes(recipe.arguments(Probe(call.args, call.kwargs)))
    of_torch = recipe.caller is not None or any(isinstance(arg, Tensor) for arg in call.args)
    return f"{error.finding} {explain(error, sizes, of_torch)}".strip()


def answer_to(submission: Submission, recipe: Recipe, probe: Probe) -> Answer:
    changed = ""
    try:
        if recipe.caller is not None:
            value = recipe.caller.ask(submission, recipe, probe)
        else:
            called = recipe.as_called(probe)
            args = [
                submission.make(arg.target, *arg.args) if isinstance(arg, LibraryObject) else arg
                for arg in called.args
            ]
            function = getattr(submission, recipe.function)
            value, after = function.with_arguments(*args, **called.kwargs)
            names = [*recipe.parameters[: len(args)], *called.kwargs]
            given = [*called.args, *called.kwargs.values()]
            for name, was, now in zip(names, given, after, strict=True):
                if isinstance(was, np.ndarray):
                    has_nan = was.dtype.kind in "fc"
                    changed = changed if np.array_equal(was, now, equal_nan=has_nan) else name
    except Raised as error:
        message = _explained(error, recipe, probe, submission._session)
        return Answer(Outcome(RAISES), message, error.place.line if error.place is not None else 0)
    except StudentProblem as problem:
        if problem.kind in {"timed out", "crashed", "missing", "not loaded"}:
            raise Stopped from None
        return Answer(Outcome("unsendable"), problem.finding)
    is_array = not isinstance(value, list | tuple | dict)
    outcome, printed = recipe.comparison.of_student(value), submission._session.has_printed
    return Answer(outcome, printed=printed, is_array=is_array, changed=changed)
