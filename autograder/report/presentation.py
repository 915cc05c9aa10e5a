"""A report as it is read: what is not begun, or cannot be read, is said once and is no mistake."""

from collections.abc import Iterator

import msgspec

from autograder.course.text import few, join_names
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.reasons import not_written

QUIET = frozenset({"passed", "not run", "not told"})
MOST_NAMED = 4
NOT_PYTHON = " is not valid Python"  # whatever the file is called before it


def presented(exercise: ExerciseReport) -> ExerciseReport:
    """The exercise as its faces show it: points and the record stay as they are.

    Checks that met nothing but a stub, or a file that could not be loaded, are shown as not run,
    with the reason at the first of them, and so are those that need one of them. The first has the
    hints of what is to be begun with. A note says nothing that the report opens with.
    """
    found = {check.name: _why_it_waits(exercise, check) for check in exercise.checks}
    why = {name: said for name, said in found.items() if said is not None}
    if not why:
        return exercise
    checks = tuple(_shown(exercise, why))
    notes = tuple(note for note in exercise.notes if not _said_by(exercise.reason, note))
    return msgspec.structs.replace(exercise, checks=checks, notes=notes)


def _why_it_waits(exercise: ExerciseReport, check: CheckReport) -> str | None:
    """Why a check met nothing that it could look at; empty where the report opens with that."""
    if _is_unreadable(exercise) and _said_by(exercise.reason, check.finding):
        return ""
    if not check.unwritten:
        return None
    names = tuple(dict.fromkeys(each.unwritten for each in exercise.checks if each.unwritten))
    return "" if _nothing_begun(exercise) else not_written(_named(names), len(names))


def _is_unreadable(exercise: ExerciseReport) -> bool:
    return exercise.status == "not loaded" and bool(exercise.reason)


def _said_by(reason: str, sentence: str) -> bool:
    """Whether a sentence about the file, under whatever name, is part of the reason."""
    _, known, rest = sentence.partition(NOT_PYTHON)
    return sentence == reason or (bool(known) and rest in reason)


def _nothing_begun(exercise: ExerciseReport) -> bool:
    """Whether all that was looked at is still as it was handed out."""
    looked_at = [e for e in exercise.checks if e.outcome not in {"not run", "not told"}]
    seen = [each for each in looked_at if not each.hidden]
    if exercise.points or exercise.answers:  # checks that passed may be folded away
        return False
    none_passed = all(each.outcome != "passed" for each in looked_at)
    return bool(seen) and none_passed and all(each.unwritten for each in seen)


def _named(names: tuple[str, ...]) -> str:
    return join_names(names) if len(names) <= MOST_NAMED else few(names, MOST_NAMED)


def _shown(exercise: ExerciseReport, why: dict[str, str]) -> Iterator[CheckReport]:
    """The checks, those in `why` and what needs them as not run."""
    waits: dict[str, str] = {}  # why a check waits, by its title
    nothing = _is_unreadable(exercise) or _nothing_begun(exercise)
    for check in exercise.checks:
        said = why.get(check.name, waits.get(_needed(check)))
        if said is None and nothing and _failed_in_silence(check):
            said = ""
        if said is None:
            yield check
            continue
        waits[check.title] = said
        hints = check.hints if check.name == next(iter(why)) else ()
        yield msgspec.structs.replace(
            check,
            outcome="not run",
            finding=said,
            cause=None,
            evidence=None,
            place=None,
            hints=hints,
        )


def _needed(check: CheckReport) -> str:
    """Return the title of the check that this one needs first, where it was not run for that."""
    is_waiting = check.cause is not None and check.cause.code == "needs_first"
    return check.cause.names[0] if check.cause is not None and is_waiting else ""


def _failed_in_silence(check: CheckReport) -> bool:
    """Whether a check failed of which its student may read no more."""
    silent = not check.finding and check.diagnosis is None
    return check.hidden and check.outcome == "failed" and silent


def first_failure(exercise: ExerciseReport) -> CheckReport | None:
    """The first check that went wrong by itself, and not because another did."""
    checks = presented(exercise).checks
    return next((check for check in checks if check.outcome not in QUIET), None)


def opening(exercise: ExerciseReport) -> str:
    """The one sentence to act on; nothing where there is nothing to do.

    It is which mistake comes first, or else what is to be written next.
    """
    if _is_unreadable(exercise):
        return exercise.reason
    first = first_failure(exercise)
    said = headline(first) if first is not None else ""
    waiting = next((check for check in exercise.checks if check.unwritten), None)
    if said or waiting is None:
        return said or exercise.reason
    what = waiting.unwritten
    if waiting.place is not None:
        what += f", in line {waiting.place.line} of {waiting.place.file}"
    begun = not _nothing_begun(exercise)
    return f"Write this next: {what}." if begun else f"Nothing is written yet. Begin with {what}."


def adds_its_reason(exercise: ExerciseReport, said: str) -> bool:
    """Whether the report's reason is more than what its opening has `said`."""
    known = {check.finding for check in exercise.checks if check.unwritten}
    reason = exercise.reason
    return bool(reason) and not said.endswith(reason) and reason not in known


def headline(check: CheckReport) -> str:
    """What a check that failed says in one sentence: which mistake it is, or what it found."""
    if check.diagnosis is None:
        return f"{check.title}: {check.finding}" if check.finding else ""
    return diagnosed(check)


def diagnosed(check: CheckReport) -> str:
    """The diagnosis of a check, with the name of the function that it is about."""
    assert check.diagnosis is not None
    said, function = check.diagnosis.finding, check.diagnosis.function
    return said if said.startswith(function) else f"{function}: {said}"
