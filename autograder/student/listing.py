"""The course as a list, in lines of styled text: what is done, begun, untouched, and due when."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from autograder.course.text import join_names, number, several
from autograder.report.styled_lines import StyledLine, cells
from autograder.student.progress import AssignmentProgress, ExerciseProgress

# The points of exercises that are done, in words: what is there, and who gives the rest.


def points_in_words(done: Sequence[ExerciseProgress]) -> str:
    """`50 of 54 points; 4 more are given by a person`, without a full stop.

    What a released course does not tell is told when the work is graded.
    """
    points = sum(each.points for each in done)
    whole = sum(each.exercise.points for each in done)
    rest = [
        (sum(map(_from_a_person, done)), "{} more {} given by a person"),
        (sum(map(_when_graded, done)), "{} more {} told when your work is graded"),
    ]
    said = [text.format(number(n), "is" if n == 1 else "are") for n, text in rest if n > 0]
    return "; ".join([f"{number(points)} of {number(whole)} points", join_names(said)]).strip("; ")


def _is_by_hand(standing: ExerciseProgress) -> bool:
    return standing.progress is not None and standing.progress.status == "by hand"


def _from_a_person(standing: ExerciseProgress) -> float:
    return standing.exercise.points if _is_by_hand(standing) else 0.0


def _when_graded(standing: ExerciseProgress) -> float:
    if standing.progress is None or _is_by_hand(standing):
        return 0.0
    return round(standing.exercise.points - standing.progress.max_points, 2)


MARKS = {
    "done": ("✓", "good"),
    "begun": ("›", "partial"),
    "untouched": ("·", "dim"),
    "missing": ("–", "dim"),
    "unreadable": ("!", "odd"),
}
BAR = 20
AGES = (
    (60, "just now", 1),
    (3600, "minute", 60),
    (86_400, "hour", 3600),
    (float("inf"), "day", 86_400),
)


def course_lines(
    title: str, groups: Sequence[AssignmentProgress], now: datetime
) -> Iterator[StyledLine]:
    """Every exercise of the course by assignment, with its points as of the last check."""
    found = [each for group in groups for each in group.standings]
    wide = max(len(each.exercise.name) for each in found)
    yield [(title, "bold")]
    yield [(progress_summary(found), "")]
    for group in groups:
        yield []
        if group.title:
            yield _heading(group, now)
        for each in group.standings:
            mark, style = MARKS[each.state]
            yield [
                (f"  {mark} ", style),
                (f"{each.exercise.name:<{wide}}  ", ""),
                (f"{_points(each):>8}  ", ""),
                (remark(each, now), "dim"),
            ]


def course_words(
    title: str, groups: Sequence[AssignmentProgress], now: datetime
) -> Iterator[StyledLine]:
    """The same a sentence a line, for screen readers."""
    yield [(title, "")]
    yield [(progress_summary([each for group in groups for each in group.standings]), "")]
    for group in groups:
        if group.title:
            due = f", {_due(group.due, now)}" if group.due else ""
            yield [(f"{group.title}{due}", "")]
        for each in group.standings:
            points = f"{number(each.points)} of {number(each.exercise.points)} points"
            yield [(f"  {each.exercise.name}: {points}, {remark(each, now)}", "")]


def _heading(group: AssignmentProgress, now: datetime) -> StyledLine:
    due = f"  {_due(group.due, now)}" if group.due else ""
    return [(group.title, "bold"), (due, "dim")]


def _points(standing: ExerciseProgress) -> str:
    """The points of the last check; of what was never checked, how many there are."""
    there = number(standing.exercise.points)
    by_hand = standing.progress is not None and standing.progress.status == "by hand"
    if standing.progress is None or by_hand:
        return f"/ {there}"
    return f"{number(standing.points)} / {there}"


def remark(standing: ExerciseProgress, now: datetime) -> str:
    """Where an exercise stands, in a few words."""
    progress = standing.progress
    if standing.state == "missing":
        return "no file of it here"
    if standing.state == "unreadable":
        return standing.why.rstrip(".")
    if standing.state == "untouched":
        return "not begun"
    if progress is None:
        return "begun, not checked yet"
    said = f"begun, {len(progress.passed)} of {several(progress.checks, 'check')} pass"
    if standing.state == "done":
        said = "answered, for a person to read" if progress.status == "by hand" else "done"
    elif progress.status == "not loaded":
        said = "begun, did not load"
    ago = age((now - progress.checked).total_seconds())
    return f"{said}; changed since (checked {ago})" if standing.changed else f"{said} ({ago})"


def age(seconds: float) -> str:
    """How long ago something was, roughly."""
    for limit, unit, size in AGES:
        if seconds < limit:
            return unit if size == 1 else f"{several(int(seconds // size), unit)} ago"
    raise AssertionError


def _due(due: datetime | None, now: datetime) -> str:
    """When it is due, where one is."""
    assert due is not None
    here = due.astimezone(now.tzinfo)
    day = f"{here:%a} {here.day} {here:%b %Y, %H:%M}"
    left = (due - now).total_seconds()
    if left < 0:
        return f"was due {day}"
    if left < 86_400:
        return f"due {day} (in {several(int(left // 3600), 'hour')})"
    return f"due {day} (in {several(int(left // 86_400), 'day')})"


def progress_summary(found: Sequence[ExerciseProgress]) -> str:
    """Exercises done and points, of all."""
    done = sum(each.state == "done" for each in found)
    points = sum(each.points for each in found)
    whole = sum(each.exercise.points for each in found)
    return (
        f"{done} of {several(len(found), 'exercise')} done, "
        f"{number(points)} of {number(whole)} points so far"
    )


def progress_bar(found: Sequence[ExerciseProgress], room: int | None) -> StyledLine:
    """How far the course has come, in one line."""
    done = sum(each.state == "done" for each in found)
    full = round(BAR * done / len(found))
    words = progress_summary(found)
    if room is not None and cells(words) + BAR + 2 > room:
        return [(words, "dim")]
    return [("█" * full, "good"), ("░" * (BAR - full), "dim"), (f"  {words}", "dim")]


def next_lines(
    following: ExerciseProgress | None, found: Sequence[ExerciseProgress], where: str, now: datetime
) -> Iterator[StyledLine]:
    """What to do next of what was `found`, and how to begin; or what is done, if all is."""
    if following is None:
        yield from _all_done(found)
        return
    name, said = following.exercise.name, remark(following, now)
    yield [("Next: ", "bold"), (following.exercise.title, ""), (f"  {said}", "dim")]
    yield [("  open  ", "dim"), (where, "")]
    yield [("  then  ", "dim"), (f"autograder watch {name}", "")]
    yield [("  or    ", "dim"), (f"autograder check {name}", "")]


def _all_done(found: Sequence[ExerciseProgress]) -> Iterator[StyledLine]:
    """Nothing is left to do but what is not here, and what has changed since."""
    done = [each for each in found if each.state == "done"]
    missing = [each.exercise.name for each in found if each.state == "missing"]
    changed = [each.exercise.name for each in done if each.changed]
    if not done:
        yield [("No file of any exercise is here.", "")]
        return
    if missing:
        yield [(f"No file is here of {join_names(missing)}.", "")]
    count = several(len(done), "exercise")
    all_of = "The one exercise is" if len(done) == 1 else f"All {count} are"
    verb = "is" if len(done) == 1 else "are"
    said = f"{count} of {len(found)} {verb} done" if missing else f"{all_of} done"
    yield [(f"{said}: {points_in_words(done)}.", "" if missing or changed else "full")]
    if changed:
        yield [
            (f"Changed since the last check: {join_names(changed)}. ", ""),
            (f"autograder check {' '.join(changed)}", "dim"),
        ]


# A word when an exercise, an assignment or the course is done.


EDGE = "·  ░  ▒  ▓  █  ▓  ▒  ░  ·"


def completion_lines(
    done: ExerciseProgress,
    groups: Sequence[AssignmentProgress],
    found: Mapping[str, ExerciseProgress],
    spoken: bool,
) -> list[StyledLine]:
    """What to say now that an exercise has just been done, and perhaps others with it."""
    if all(each.state == "done" for each in found.values()):
        return _course(list(found.values()), spoken)
    mine = [g for g in groups if any(s.exercise.name == done.exercise.name for s in g.standings)]
    for group in mine:
        if group.title and all(each.state == "done" for each in group.standings):
            stars = "" if spoken else "★ ★ ★  "
            said = f"“{group.title}” is done: {points_in_words(group.standings)}."
            return [[(stars + said, "full")]]
    return [[(("" if spoken else "★  ") + f"“{done.exercise.title}” is done.", "full")]]


def _course(found: Sequence[ExerciseProgress], spoken: bool) -> list[StyledLine]:
    said = f"The whole course is done: {several(len(found), 'exercise')}, {points_in_words(found)}."
    if spoken:
        return [[(said, "full")]]
    return [[(f"  {EDGE}", "hint")], [(f"  {said}", "full")], [(f"  {EDGE}", "hint")]]
