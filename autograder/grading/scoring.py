"""Outcome of one submission: results of the checks, and the report with points."""

import ast
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise
from autograder.course.text import join_names, one_line, printable, several
from autograder.diagnosis.hints import hints_for
from autograder.grading.author_exceptions import as_internal_error
from autograder.grading.reports import report_of_internal_error
from autograder.report.model import (
    STATUS_OF,
    Cause,
    CauseCode,
    CheckReport,
    ExerciseReport,
    Line,
    Status,
    WrittenAnswer,
    worst,
)
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import NOT_PYTHON, line_of, where, while_loading
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import MAX_PRINTED
from autograder.submission.code import defined_again, repeated_list, unused_result
from autograder.submission.source import MAX_ANSWER, Source
from autograder.submission.stubs import TEXT_STUB, requirements_in
from autograder.worker.messages import CodePlace, Unit
from autograder.worker.statements import without_magics

# Slips of Python that a report on a failed check tells: a search, a code, and a sentence.
SLIPS: tuple[tuple[Callable[[Sequence[Unit]], CodePlace | None], CauseCode, str], ...] = (
    (unused_result, "unused_result", "Nothing uses the result of `{}`{}."),
    (repeated_list, "repeated_list", "In `{}`,{}, all rows are one and the same list."),
)
# Kinds of failures without an answer. If all checks have one of these, no check saw an answer.
NO_ANSWER = frozenset({"not loaded", "missing", "not written", "raised"})
MOST_FORBIDDEN = 10  # the most sentences on forbidden names
CELL_GONE = "(The cell for this answer is not in {}. The answer may be elsewhere in the file.)"


class Graded:
    """Outcome of grading one submission. `seconds` has the time of each check by name."""

    def __init__(
        self,
        exercise: Exercise,
        session: WorkerSession,
        results: Sequence[CheckResult] = (),
        seconds: dict[str, float] | None = None,
        error: InternalError | None = None,
    ) -> None:
        self.exercise = exercise
        self.session = session
        self.seconds = seconds or {}
        self.error = error
        self._results = list(results)

    @property
    def results(self) -> list[CheckResult]:
        """The results of all selected checks in order. May raise the grader's `InternalError`."""
        if self.error is not None:
            raise self.error
        return self._results

    @functools.cached_property
    def report(self) -> ExerciseReport:
        try:
            return _exercise_report(self.exercise, self.session, self.results)
        except Exception as error:
            return report_of_internal_error(self.exercise, as_internal_error(error))

    @functools.cached_property
    def encoded(self) -> bytes:
        """The report as JSON. If the encoding fails, this is a report of an internal error."""
        try:
            return msgspec.json.encode(self.report)
        except Exception as error:
            failed = report_of_internal_error(self.exercise, as_internal_error(error))
            return msgspec.json.encode(failed)


def _exercise_report(
    exercise: Exercise, session: WorkerSession, results: Sequence[CheckResult]
) -> ExerciseReport:
    """Return the report on one exercise. The checks' weights are scaled to its points."""
    source = session.source
    forbidden = find_forbidden(source, exercise.forbids)
    whole = sum(result.check.weight for result in results) or 1.0
    share = 0.0 if exercise.questions else exercise.points / whole
    earned = sum(result.check.weight for result in results if result.outcome == "passed")
    answers = _answers(exercise, source)
    broken = any(problem.type in NOT_PYTHON for problem in session.workers.load_problems)
    status, reason, cause = _status(results, broken)
    for_a_person = bool(answers) and status == "graded"
    if for_a_person:
        status, reason = "by hand", f"{several(len(answers), 'answer')} for a person to read."
        cause = Cause(code="answers_by_hand", message=str(len(answers)))
    if forbidden:
        reason, cause = " ".join(forbidden), Cause(code="forbidden_names")
    stated = {
        requirement.name: Line(file=unit.label, line=requirement.line, text=requirement.sentence)
        for unit in source.units
        for requirement in requirements_in(unit.text)
    }
    notes = _notes(session, results)
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0 if forbidden else round(earned * share, 2),
        max_points=exercise.points,
        file=source.label,
        digest=source.digest,
        reason=reason,
        reason_is_ours=bool(forbidden) or for_a_person,
        cause=cause,
        checks=tuple(check_report(result, share, bool(forbidden), stated) for result in results),
        notes=tuple(notes),
        note_causes=tuple(notes.values()),
        printed=printable(session.workers.printed, MAX_PRINTED),
        answers=answers,
    )


def _notes(session: WorkerSession, results: Sequence[CheckResult]) -> dict[str, Cause]:
    seen = [result.cause for result in results if result.cause is not None and not result.hidden]
    absent = {cause.message for cause in seen if cause.code == "sibling_absent"}
    problems = [
        while_loading(problem)
        for problem in session.workers.load_problems
        if absent.isdisjoint(f"{name}.py" for name in problem.names)
    ]
    notes = {problem.finding: problem.cause for problem in problems}
    if any(result.outcome not in {"passed", "graded when handed in"} for result in results):
        notes |= dict(map(_about_repeated, defined_again(session.source.units)))
        for found, code, said in SLIPS:
            if place := found(session.source.units):
                note = said.format(one_line(place.text, 80), where(place))
                notes[note] = Cause(code=code, place=line_of(place))
    return notes


def _about_repeated(places: Sequence[CodePlace]) -> tuple[str, Cause]:
    name, last = one_line(places[-1].function, 80), places[-1]
    shown = f"lines {join_names([str(place.line) for place in places])}"
    if any(place.label != last.label for place in places):
        shown = join_names([where(place).removeprefix(" in ") for place in places])
    times = "twice" if len(places) == 2 else f"{len(places)} times"
    said = f"{name} is defined {times}, in {shown}. Python uses the last one,{where(last)}."
    return said, Cause(code="defined_twice", subject=name, place=line_of(last))


def _answers(exercise: Exercise, source: Source) -> tuple[WrittenAnswer, ...]:
    answers = []
    for question in exercise.questions:
        text = source.answers.get(question.name, CELL_GONE.format(source.label))
        if text.replace(TEXT_STUB, "").strip():
            answers.append(
                WrittenAnswer(
                    name=question.name,
                    title=question.title,
                    text=printable(text, MAX_ANSWER),
                    max_points=question.points,
                )
            )
    return tuple(answers)


def check_report(
    result: CheckResult, share: float, forbidden: bool, stated: Mapping[str, Line] = {}
) -> CheckReport:
    """Return the report on a check. `share` is the number of points for a weight of 1."""
    passed = result.outcome == "passed"
    points = round(result.check.weight * share, 2)
    is_unwritten = result.cause is not None and result.cause.code == "not_written"
    required = stated.get(result.requirement) if result.outcome == "failed" else None
    return CheckReport(
        name=result.name,
        title=result.check.title,
        points=points if passed and not forbidden else 0.0,
        max_points=points,
        outcome=result.outcome,
        hidden=result.hidden,
        finding=result.finding,
        note=result.note,
        diagnosis=result.diagnosis,
        group=result.group,
        unwritten=result.cause.subject if result.cause is not None and is_unwritten else "",
        cause=result.cause,
        evidence=result.evidence,
        place=result.place,
        hints=hints_for(result),
        required=(required,) if required is not None and not is_unwritten else (),
    )


def _status(results: Sequence[CheckResult], broken: bool) -> tuple[Status, str, Cause | None]:
    status = worst([STATUS_OF.get(result.outcome, "graded") for result in results] or ["graded"])
    if status != "graded":
        first = next(result for result in results if STATUS_OF.get(result.outcome) == status)
        return status, first.finding, first.cause
    ran = [
        result for result in results if result.outcome not in {"not run", "graded when handed in"}
    ]
    kinds = {result.kind for result in ran}
    if not ran or not kinds <= NO_ANSWER:
        return "graded", "", None
    unloaded = "not loaded" in kinds or (broken and "missing" in kinds)
    return "not loaded" if unloaded else "graded", ran[0].finding, ran[0].cause


def find_forbidden(source: Source, forbids: Iterable[str]) -> list[str]:
    """Return a sentence for each use of a forbidden name, such as `torch.nn.functional.softmax`.

    The search parses the source, and runs nothing. It follows names through `import … as` and `from
    … import`. It does not find names that are built at run time.
    """
    forbidden = set(forbids)
    longest = max((name.count(".") for name in forbidden), default=0)
    known: dict[str, str] = {}  # from local names to full names
    uses: dict[tuple[int, str, str], None] = {}
    for unit in source.units if forbidden else ():
        try:
            tree = ast.parse(without_magics(unit.text, unit.label))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            known.update(_imported(node))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = [name for _, name in _imported(node)]
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                names = [_full_name(node, known, longest)]
            else:
                continue
            label = one_line(unit.label, 80)
            uses.update(dict.fromkeys((node.lineno, label, n) for n in names if n in forbidden))
    sentences = [
        f"Line {line} of {label} uses {name}, which this exercise asks you to write yourself."
        for line, label, name in uses
    ]
    if len(sentences) > MOST_FORBIDDEN:
        more = len(sentences) - MOST_FORBIDDEN
        sentences[MOST_FORBIDDEN:] = [f"So do {more:,} more lines."]
    return sentences


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        names = [(alias.asname or alias.name.split(".")[0], alias) for alias in node.names]
        return [(local, alias.name if alias.asname else local) for local, alias in names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
    return []


def _full_name(node: ast.expr, known: Mapping[str, str], longest: int) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) <= longest:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return ""
    return ".".join([known[node.id], *reversed(parts)])
