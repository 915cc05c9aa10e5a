"""The course as a list, in lines of styled text: what is done, begun, untouched, and due when."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from autograder.report.wrap import StyledLine, cells
from autograder.study.points import points_in_words
from autograder.study.standing import Group, Standing
from autograder.text import number, one_and_other, several

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


def course_lines(title: str, groups: Sequence[Group], now: datetime) -> Iterator[StyledLine]:
    """Every exercise of the course by assignment, with its points as of the last check."""
    found = [each for group in groups for each in group.standings]
    wide = max(len(each.exercise.name) for each in found)
    yield [(title, "bold")]
    yield [(so_far(found), "")]
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


def course_words(title: str, groups: Sequence[Group], now: datetime) -> Iterator[StyledLine]:
    """The same a sentence a line, for screen readers."""
    yield [(title, "")]
    yield [(so_far([each for group in groups for each in group.standings]), "")]
    for group in groups:
        if group.title:
            due = f", {_due(group.due, now)}" if group.due else ""
            yield [(f"{group.title}{due}", "")]
        for each in group.standings:
            points = f"{number(each.points)} of {number(each.exercise.points)} points"
            yield [(f"  {each.exercise.name}: {points}, {remark(each, now)}", "")]


def _heading(group: Group, now: datetime) -> StyledLine:
    due = f"  {_due(group.due, now)}" if group.due else ""
    return [(group.title, "bold"), (due, "dim")]


def _points(standing: Standing) -> str:
    """The points of the last check; of what was never checked, how many there are."""
    there = number(standing.exercise.points)
    by_hand = standing.progress is not None and standing.progress.status == "by hand"
    if standing.progress is None or by_hand:
        return f"/ {there}"
    return f"{number(standing.points)} / {there}"


def remark(standing: Standing, now: datetime) -> str:
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


def so_far(found: Sequence[Standing]) -> str:
    """Exercises done and points, of all."""
    done = sum(each.state == "done" for each in found)
    points = sum(each.points for each in found)
    whole = sum(each.exercise.points for each in found)
    return (
        f"{done} of {several(len(found), 'exercise')} done, "
        f"{number(points)} of {number(whole)} points so far"
    )


def bar(found: Sequence[Standing], room: int | None) -> StyledLine:
    """How far the course has come, in one line."""
    done = sum(each.state == "done" for each in found)
    full = round(BAR * done / len(found))
    words = so_far(found)
    if room is not None and cells(words) + BAR + 2 > room:
        return [(words, "dim")]
    return [("█" * full, "good"), ("░" * (BAR - full), "dim"), (f"  {words}", "dim")]


def next_lines(
    following: Standing | None, found: Sequence[Standing], where: str, now: datetime
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


def _all_done(found: Sequence[Standing]) -> Iterator[StyledLine]:
    """Nothing is left to do but what is not here, and what has changed since."""
    done = [each for each in found if each.state == "done"]
    missing = [each.exercise.name for each in found if each.state == "missing"]
    changed = [each.exercise.name for each in done if each.changed]
    if not done:
        yield [("No file of any exercise is here.", "")]
        return
    if missing:
        yield [(f"No file is here of {one_and_other(missing)}.", "")]
    count = several(len(done), "exercise")
    all_of = "The one exercise is" if len(done) == 1 else f"All {count} are"
    verb = "is" if len(done) == 1 else "are"
    said = f"{count} of {len(found)} {verb} done" if missing else f"{all_of} done"
    yield [(f"{said}: {points_in_words(done)}.", "" if missing or changed else "full")]
    if changed:
        yield [
            (f"Changed since the last check: {one_and_other(changed)}. ", ""),
            (f"autograder check {' '.join(changed)}", "dim"),
        ]
