"""Reports in the form in which people read them.

If many failures have a common reason, such as an unwritten function or an unreadable file, the
report states it only once.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from rich.cells import cell_len

from autograder.course.text import few, join_names, several
from autograder.report.model import Cause, CauseCode, CheckReport, ExerciseReport, Line

NOT_JUDGED = frozenset({"not run", "graded when handed in"})
QUIET = NOT_JUDGED | {"passed"}
TOLD_ONCE = QUIET - {"graded when handed in"}  # several checks may have the same reason
FOLLOWS = "follow-through"
MOST_NAMED = 4
_NUMBERS = re.compile(r"\W*\b\d+(x\d+)*\b[\W\d]*")  # numbers in Python's messages
BEFORE = 10  # characters that a cut line shows before the marked part
SAME_ERROR = "The same error as in “"  # begins the note on a repeated error
HIDDEN_INPUTS = "This check does not show its inputs."
# Codes of causes whose sentences contain no text from a submission.
SENTENCES: dict[CauseCode, str] = {
    "no_end": "The check did not finish.",
    "not_selected": "Not run: it was not selected.",
    "needs_first": "Not run: “{name}” must pass first.",
    "enough": "Not run: a check before it was enough.",
    "internal_error_before": "Not run: the grader itself failed. It will try again.",
    "hidden": "Graded when handed in: this check does not show its inputs.",
    "not_recorded": (
        "Graded when handed in: this student kit has no recorded answer for this case."
    ),
    "given_own_step": (
        "Graded when handed in: the right result depends on your {name}, which does not pass its "
        "own checks here. Fix {name} first."
    ),
    "not_all_ran": (
        "Graded when handed in: the right result depends on your {name}, and some checks did not "
        "run here. Run all checks of the exercise."
    ),
    "given_sibling": (
        "Graded when handed in: the right result depends on your {name}.py, which is wrong. Fix "
        "{name}.py first."
    ),
    "other_numpy": (
        "Graded when handed in: the answers were recorded with NumPy {name}. This machine has "
        "NumPy {subject}, which makes other random numbers. Install NumPy {name} (pip install "
        "numpy=={name}), or hand in your file as it is."
    ),
}
# Causes that a neighbouring file has to fix.
SIBLING: tuple[CauseCode, ...] = ("sibling_absent", "sibling_not_written")
# For the sentence at the end: outcomes, and their verbs for one check and for several.
VERBS = {
    FOLLOWS: (f"passes by {FOLLOWS}", f"pass by {FOLLOWS}"),
    "failed": ("fails", "fail"),
    "not run": ("was not run", "were not run"),
    "graded when handed in": ("is graded when handed in", "are graded when handed in"),
}


def is_left_to_grading(check: CheckReport) -> bool:
    """Return True if only the instructor's computer can judge a check."""
    fixable = {"given_own_step", "not_all_ran", "given_sibling"}
    can_be_fixed = check.cause is not None and check.cause.code in fixable
    return check.outcome == "graded when handed in" and not can_be_fixed


def is_quiet(check: CheckReport) -> bool:
    """Return True if the student need not change anything for this check."""
    return check.outcome in QUIET


def shown_outcome(check: CheckReport) -> str:
    """Return the outcome of a check. If it passed with a note, return "follow-through".

    With follow-through, the result itself is wrong because of an earlier step. So "passed" would
    mislead.
    """
    return FOLLOWS if check.outcome == "passed" and check.note else check.outcome


def sentence(cause: Cause) -> str:
    """Return a cause's sentence from `SENTENCES`, with its first name in place of `{name}`."""
    name = cause.names[0] if cause.names else ""
    return SENTENCES[cause.code].format(subject=cause.subject, name=name)


class Opening(NamedTuple):
    """First sentence of a report, about the student's next step. It may be empty."""

    text: str
    is_reason: bool = False  # true if the sentence is also the exercise's reason
    reason: str = ""  # reason that the sentence does not give
    place: Line | None = None  # student's line for the sentence


class CheckSentences(NamedTuple):
    """Sentences on a check that the report has not shown yet."""

    diagnosis: str = ""
    finding: str = ""
    repeated: str = ""


def excerpt(place: Line | None, room: int | None = None) -> list[str]:
    """Return the student's line with its number, and a line of carets below the marked part.

    A line that does not fit into `room` columns is cut around the marked part.
    """
    if place is None or not place.text:
        return []
    number, text, start, end = f"{place.line} | ", place.text, place.column, place.end
    if not start < end <= len(text):
        start, end = 0, len(text)
    most = len(text) if room is None else max(room - len(number), 2 * BEFORE)
    if len(text) > most:
        first = max(0, min(start - BEFORE, len(text) - most))
        text = f"…{text[first + 1 :]}" if first else text
        text = text if len(text) <= most else f"{text[: most - 1]}…"
        start, end = start - first, min(end - first, most)
    before = " " * (len(number) - 2) + "| " + " " * cell_len(text[:start])
    return [number + text, before + "^" * cell_len(text[start:end])]


def presented(exercise: ExerciseReport) -> ExerciseReport:
    """Return the exercise in the common form of all output formats.

    Points do not change. Some checks fail only because a function is not written, a neighbouring
    file is not ready, or a file cannot be loaded. The report shows these checks as not run, and
    also the checks that need them. The first of these checks keeps its hints. Notes that repeat a
    message are left out.
    """
    reasons = [(check.name, _why_it_waits(exercise, check)) for check in exercise.checks]
    why = {name: text for name, text in reasons if text is not None}
    causes = exercise.note_causes or (None,) * len(exercise.notes)
    told = [exercise.cause, *(check.cause for check in exercise.checks if check.finding)]
    notes = tuple(
        note
        for note, cause in zip(exercise.notes, causes, strict=False)
        if not any(_is_told(cause, by) for by in told)
    )
    checks = tuple(_shown(exercise, why)) if why else exercise.checks
    return msgspec.structs.replace(exercise, checks=checks, notes=notes)


def _why_it_waits(exercise: ExerciseReport, check: CheckReport) -> str | None:
    """Return why a check was not run, or "" if the opening says why, or None if it ran."""
    if _is_unreadable(exercise) and _is_told(check.cause, exercise.cause):
        return ""
    if check.cause is not None and check.cause.code in SIBLING:
        return check.finding
    if not check.unwritten:
        return None
    if _nothing_begun(exercise):
        return ""
    stubs: dict[Line | str, str] = {}  # if several functions stop in the same line, keep the first
    for other in exercise.checks:
        if other.unwritten:
            stubs.setdefault(other.place or other.unwritten, other.unwritten)
    names = list(dict.fromkeys(stubs.values()))
    text = join_names(names) if len(names) <= MOST_NAMED else few(names, MOST_NAMED)
    return f"Not run: {text} {'is' if len(names) == 1 else 'are'} not written yet."


def _is_unreadable(exercise: ExerciseReport) -> bool:
    return exercise.status == "not loaded" and bool(exercise.reason)


def _is_told(cause: Cause | None, by: Cause | None) -> bool:
    if cause is None or by is None:
        return False
    told = _errors(by)
    return cause == by or any(error in told for error in _errors(cause))


def _errors(cause: Cause) -> list[Cause]:
    return [
        msgspec.structs.replace(error, subject="", because=None)
        for error in (cause, cause.because)
        if error is not None and (error.place is not None or error.code == "not_python")
    ]


def _nothing_begun(exercise: ExerciseReport) -> bool:
    ran = [check for check in exercise.checks if check.outcome not in NOT_JUDGED]
    seen = [check for check in ran if not check.hidden]
    if exercise.points or exercise.answers or not seen:  # a report may leave out passed checks
        return False
    return all(check.outcome != "passed" for check in ran) and all(c.unwritten for c in seen)


def _shown(exercise: ExerciseReport, why: dict[str, str]) -> Iterator[CheckReport]:
    waits: dict[str, str] = {}  # from a check's title to the reason why it was not run
    nothing = _is_unreadable(exercise) or _nothing_begun(exercise)
    for check in exercise.checks:
        needs = check.cause is not None and check.cause.code == "needs_first"
        needed = check.cause.names[0] if check.cause is not None and needs else ""
        text = why.get(check.name, waits.get(needed))
        silent = check.hidden and not check.finding and check.diagnosis is None
        if text is None and nothing and silent and check.outcome == "failed":
            text = ""
        if text is None:
            yield check
            continue
        waits[check.title] = text
        yield msgspec.structs.replace(
            check,
            outcome="not run",
            finding=text,
            cause=None,
            evidence=None,
            place=None,
            hints=check.hints if check.name == next(iter(why)) else (),
            required=(),
        )


def first_failure(exercise: ExerciseReport) -> CheckReport | None:
    """Return the first check that fails for a reason of its own. If there is none, return None.

    If nothing is known about its wrong values, a check wins in which the same function stops.
    """
    failed = [check for check in presented(exercise).checks if not is_quiet(check)]
    first = next(iter(failed), None)
    if first is None or first.diagnosis or getattr(first.cause, "code", "") != "mismatch":
        return first
    return next((c for c in failed if c.place and not c.hidden and _stops_in(c, first)), first)


def _stops_in(check: CheckReport, other: CheckReport) -> bool:
    same = {getattr(each.evidence, "function", each.name) for each in (check, other)}
    return len(same) == 1 and check.cause is not None and check.cause.code == "raised"


def passed_over(exercise: ExerciseReport) -> set[str]:
    """Return the names of the failed checks before the one that `first_failure` returns."""
    failed = [check for check in presented(exercise).checks if not is_quiet(check)]
    first = first_failure(exercise)
    return {check.name for check in itertools.takewhile(lambda check: check != first, failed)}


def opening(exercise: ExerciseReport) -> Opening:
    """Return a report's first sentence: on the first mistake, or on the next function to write."""
    whole_reason = Opening(exercise.reason, True, place=_place_of_cause(exercise.cause))
    if _is_unreadable(exercise):
        return whole_reason
    by_code = {check.cause.code: check for check in reversed(exercise.checks) if check.cause}
    for code in (*SIBLING, "given_sibling"):
        if code in by_code:  # the first check that fails because of a neighbouring file
            return Opening(by_code[code].finding, place=_place_of_cause(by_code[code].cause))
    first = first_failure(exercise)
    unwritten = [check for check in exercise.checks if check.unwritten]
    if first is not None and headline(first):
        place = _line_of_headline(first)
        if first.cause is not None and first.cause == exercise.cause:
            return Opening(headline(first), _repeats(first) == "is", place=place)
        return Opening(headline(first), reason=_other_reason(exercise, unwritten), place=place)
    if unwritten:
        what, place = unwritten[0].unwritten, unwritten[0].place
        what += f", in line {place.line} of {place.file}" if place is not None else ""
        begin = "Write this next:"
        if _nothing_begun(exercise):
            begin = "Begin with"
        return Opening(f"{begin} {what}.", reason=_other_reason(exercise, unwritten))
    return whole_reason if exercise.reason else Opening(_not_judged(exercise), True)


def _other_reason(exercise: ExerciseReport, unwritten: Sequence[CheckReport]) -> str:
    is_known = exercise.cause is not None and exercise.cause in [c.cause for c in unwritten]
    return "" if is_known else exercise.reason


def _not_judged(exercise: ExerciseReport) -> str:
    """Return a sentence on the number of visible checks that a kit cannot judge."""
    seen = [check for check in exercise.checks if not check.hidden]
    count = sum(check.outcome == "graded when handed in" for check in seen)
    if not count:
        return ""
    which = f"{count} of {several(len(seen), 'check')}"
    then = "It is" if count == 1 else "They are"
    return f"{which} cannot be judged here. {then} graded when handed in."


def source_line(check: CheckReport) -> Line | None:
    """Return the student's line for a failed check. If none is known, return None."""
    places = check.diagnosis.places if check.diagnosis is not None else ()
    return _place_of_cause(check.cause) or check.place or (places[0] if places else None)


def _line_of_headline(check: CheckReport) -> Line | None:
    diagnosis, stopped = check.diagnosis, check.cause is not None and check.cause.code == "raised"
    if diagnosis is not None and diagnosis.code == "order_dependent" and diagnosis.places:
        return diagnosis.places[0]
    is_named = diagnosis is not None and diagnosis.kind == "named"
    return None if is_named and stopped else source_line(check)


def _place_of_cause(cause: Cause | None) -> Line | None:
    return None if cause is None else cause.place or _place_of_cause(cause.because)


def _repeats(check: CheckReport) -> str:
    return check.diagnosis.repeats_finding if check.diagnosis is not None else ""


def headline(check: CheckReport) -> str:
    """Return one sentence on a failed check: the diagnosis, or else the finding."""
    return _titled(check) if check.diagnosis is None else check.diagnosis.sentence


def _titled(check: CheckReport) -> str:
    is_named = check.cause is not None and check.cause.subject
    if is_named or not check.finding:
        return check.finding
    return f"“{check.title}” fails. {check.finding}"


def required(check: CheckReport) -> str:
    """Return a sentence that quotes the failed requirement and its line. If unknown, return ""."""
    if len(check.required) != 1:
        return ""
    return f"The text asks for this in line {check.required[0].line}: {check.required[0].text}"


def repeated_errors(exercise: ExerciseReport) -> dict[str, str]:
    """Return notes on errors that several checks share, by check name.

    For the first check with an error, the note counts the others. For these, it names the first.
    Two errors are equal if they have the same line and the same message, apart from numbers, or the
    same function and the same sentence.
    """
    checks = defaultdict(list)
    for check in presented(exercise).checks:
        if is_quiet(check) or not check.finding or check.cause is None:
            continue
        root = first_cause(check.cause)
        where = (check.finding, check.evidence.function if check.evidence is not None else "")
        if root.place is not None:
            where = (f"{root.place.file}:{root.place.line}", _NUMBERS.sub(" ", root.message))
        checks[check.cause.code, root.code, root.error, *where].append((check, root.message))
    repeated = {}
    for (first, message), *others in checks.values():
        if others:
            alike = "" if {text for _, text in others} == {message} else " with other numbers"
            repeated[first.name] = f"The same{alike} in {several(len(others), 'more check')}."
            repeated |= {check.name: f"{SAME_ERROR}{first.title}”." for check, _ in others}
    return repeated


def first_cause(cause: Cause) -> Cause:
    """Return the earliest cause in a chain, such as a failed import."""
    return cause if cause.because is None else first_cause(cause.because)


def closing(exercise: ExerciseReport) -> str:
    """Return the last sentence: numbers of checks by outcome, and the next step."""
    checks = presented(exercise).checks
    if not checks or exercise.status in {"not loaded", "missing", "needs a person"}:
        return ""
    count = Counter(shown_outcome(c) if is_quiet(c) else "failed" for c in checks)
    passed = count["passed"]
    if passed == len(checks):
        return f"All {several(passed, 'check')} pass." if passed > 1 else "The check passes."
    parts = [f"{passed} of {len(checks)} checks {'passes' if passed == 1 else 'pass'}"]
    for outcome, (one, more) in VERBS.items():
        if count[outcome]:
            parts.append(f"{count[outcome]} {one if count[outcome] == 1 else more}")
    text = f"{', '.join(parts)}."
    if passed + count[FOLLOWS] == len(checks):
        return (
            f"{text} You have full points. The values that are still wrong come from the function "
            "named there."
        )
    if count["failed"]:
        return f"{text} Change your file, save it, and check again."
    return text


def check_sentences(
    check: CheckReport, shown: set[str], repeated: Mapping[str, str]
) -> CheckSentences:
    """Return the sentences on a failed check that are not in `shown`, and add them to `shown`."""
    note = repeated.get(check.name, "")
    if note.startswith(SAME_ERROR):
        return CheckSentences(repeated=note)
    diagnosis = check.diagnosis.sentence if check.diagnosis is not None else ""
    finding, quiet = check.finding, is_quiet(check)
    if (finding if quiet else _titled(check)) in shown or _repeats(check):
        finding = ""
    elif check.hidden and not finding and not diagnosis and not quiet:
        finding = HIDDEN_INPUTS
    new = diagnosis if diagnosis not in shown else ""
    shown.update((diagnosis, check.finding) if check.outcome in TOLD_ONCE else (diagnosis,))
    above = "This error is at the top. " if note and not new and not finding else ""
    return CheckSentences(new, finding, above + note)
