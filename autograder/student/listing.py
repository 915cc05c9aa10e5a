"""Lists of exercises with their progress and deadlines, as lines of styled text."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from rich.cells import cell_len

from autograder.course.text import join_names, number, several
from autograder.report.terminal import StyledLine
from autograder.student.progress import AssignmentProgress, ExerciseProgress

MARKS = {
    "done": ("✓", "good"),
    "graded when handed in": ("○", "partial"),
    "begun": ("›", "partial"),
    "untouched": ("·", "dim"),
    "missing": ("–", "dim"),
    "unreadable": ("!", "odd"),
}
BAR = 20  # in characters
UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"))  # in seconds


def course_lines(
    title: str, groups: Sequence[AssignmentProgress], now: datetime, spoken: bool = False
) -> Iterator[StyledLine]:
    every = [progress for group in groups for progress in group.exercises]
    wide = max(len(progress.exercise.name) for progress in every)
    yield [(title, "" if spoken else "bold")]
    yield [(progress_summary(every), "")]
    for group in groups:
        due = _due(group.due, now) if group.due else ""
        if not spoken:
            yield []
        if group.title and spoken:
            yield [(f"{group.title}, {due}" if due else group.title, "")]
        elif group.title:
            yield [(group.title, "bold"), (f"  {due}" if due else "", "dim")]
        for progress in group.exercises:
            yield _exercise_line(progress, now, wide, spoken)


def _exercise_line(entry: ExerciseProgress, now: datetime, wide: int, spoken: bool) -> StyledLine:
    name, state = entry.exercise.name, remark(entry, now)
    points, most = number(entry.points), number(entry.exercise.points)
    if spoken:
        return [(f"  {name}: {points} of {most} points, {state}", "")]
    mark, style = MARKS[entry.state]
    shown = f"/ {most}" if entry.last_check is None or entry.is_by_hand else f"{points} / {most}"
    return [(f"  {mark} ", style), (f"{name:<{wide}}  {shown:>8}  ", ""), (state, "dim")]


def remark(entry: ExerciseProgress, now: datetime) -> str:
    last = entry.last_check
    if entry.state == "missing":
        return "no file here"
    if entry.state == "unreadable":
        return entry.why.rstrip(".")
    if entry.state == "untouched":
        return "not begun"
    if last is None:
        return "begun, not checked yet"
    text = f"begun, {len(last.passed)} of {several(last.checks, 'check')} pass"
    if entry.state == "done":
        text = "answered; a person will mark it" if entry.is_by_hand else "done"
    elif entry.state == "graded when handed in":
        text = f"{last.when_handed_in} of {several(last.checks, 'check')} graded when handed in"
    elif last.status == "not loaded":
        text = "begun, could not be loaded"
    ago = age((now - last.checked).total_seconds())
    return f"{text} ({ago}{'; changed since' * entry.changed})"


def age(seconds: float) -> str:
    """Return the time since an event in words, such as `3 hours ago`."""
    for size, unit in UNITS:
        if seconds >= size:
            return f"{several(int(seconds // size), unit)} ago"
    return "just now"


def _due(due: datetime, now: datetime) -> str:
    here = due.astimezone(now.tzinfo)
    day = f"{here:%a} {here.day} {here:%b %Y, %H:%M}"
    left = due - now
    if left < timedelta(0):
        return f"was due {day}"
    hours = left // timedelta(hours=1)
    rest = several(hours, "hour") if hours < 24 else several(left.days, "day")
    return f"due {day} (in {rest})"


def progress_summary(every: Sequence[ExerciseProgress]) -> str:
    done = sum(entry.state == "done" for entry in every)
    left = sum(entry.state == "graded when handed in" for entry in every)
    points = sum(entry.points for entry in every)
    most = sum(entry.exercise.points for entry in every)
    when = f"{left} graded when handed in, " if left else ""
    return (
        f"{done} of {several(len(every), 'exercise')} done, {when}"
        f"{number(points)} of {number(most)} points so far"
    )


def progress_bar(every: Sequence[ExerciseProgress], width: int | None) -> StyledLine:
    full = round(BAR * sum(entry.state == "done" for entry in every) / len(every))
    words = progress_summary(every)
    if width is not None and cell_len(words) + BAR + 2 > width:
        return [(words, "dim")]
    return [("█" * full, "good"), ("░" * (BAR - full), "dim"), (f"  {words}", "dim")]


def points_in_words(done: Iterable[ExerciseProgress]) -> str:
    """Return `50 of 54 points; 4 more are given by a person`, without a full stop."""
    points = most = by_person = when_graded = 0.0
    for entry in done:
        points += entry.points
        most += entry.exercise.points
        if entry.is_by_hand:
            by_person += entry.exercise.points
        elif entry.last_check is not None:
            when_graded += round(entry.exercise.points - entry.last_check.max_points, 2)
    left = ((by_person, "given by a person"), (when_graded, "graded when handed in"))
    rest = [f"{number(n)} more {'is' if n == 1 else 'are'} {how}" for n, how in left if n > 0]
    text = f"{number(points)} of {number(most)} points"
    return f"{text}; {join_names(rest)}" if rest else text


def next_lines(
    following: ExerciseProgress | None, every: Sequence[ExerciseProgress], where: str, now: datetime
) -> Iterator[StyledLine]:
    if following is None:
        yield from _all_done(every)
        return
    if following.state == "graded when handed in" and not following.changed:
        left = [entry.exercise.name for entry in every if entry.state == following.state]
        verb = "is" if len(left) == 1 else "are"
        yield [(f"Nothing is left to do. {join_names(left)} {verb} graded when handed in.", "")]
        return
    name = following.exercise.name
    title = f"{following.exercise.title} ({name})"
    yield [("Next: ", "bold"), (title, ""), (f"  {remark(following, now)}", "dim")]
    yield [("  open  ", "dim"), (where, "")]
    yield [("  then  ", "dim"), (f"autograder watch {name}", "")]
    yield [("  or    ", "dim"), (f"autograder check {name}", "")]


def _all_done(every: Sequence[ExerciseProgress]) -> Iterator[StyledLine]:
    """Yield lines on exercises that are finished, have no file here, or changed since a check."""
    done = [entry for entry in every if entry.state == "done"]
    missing = [entry.exercise.name for entry in every if entry.state == "missing"]
    changed = [entry.exercise.name for entry in done if entry.changed]
    if not done:
        yield [("There is no exercise file here.", "")]
        return
    if missing:
        yield [(f"There is no file here for {join_names(missing)}.", "")]
    count = several(len(done), "exercise")
    verb = "is" if len(done) == 1 else "are"
    text = "The one exercise is done" if len(done) == 1 else f"All {count} are done"
    if missing:
        text = f"{count} of {len(every)} {verb} done"
    yield [(f"{text}: {points_in_words(done)}.", "" if missing or changed else "full")]
    if changed:
        yield [
            (f"Changed since the last check: {join_names(changed)}. Run: ", ""),
            (f"autograder check {' '.join(changed)}", "dim"),
        ]
