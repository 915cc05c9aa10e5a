"""The form of the view *Words*: what was typed, and the marks that it means."""

from collections.abc import Mapping

import msgspec

from autograder.classroom.filled_in import as_number
from autograder.classroom.marks_log import GivenMark
from autograder.classroom.piles import Sheet, Wording, rubric, total
from autograder.desk.view import Visit
from autograder.errors import UserError
from autograder.text import digest, number, one_line

WHO = 16


class Typed(msgspec.Struct, frozen=True):
    """What the form of an answer holds; `who` are those it is for, `trouble` is why not."""

    who: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()
    points: str = ""
    comment: str = ""
    reused: frozenset[str] = frozenset()
    tokens: Mapping[str, str] = {}
    trouble: str = ""


def who_of(student: str) -> str:
    """What stands for a student in the form, where no name is to be seen."""
    return digest(f"who {student}", WHO)


def as_it_stands(sheet: Sheet, wording: Wording) -> Typed:
    """The form of answers as they are marked: for those that wait, else for all of them."""
    marks = [(each, sheet.standing(each)) for each in wording.members]
    waiting = [each for each, standing in marks if standing.is_open]
    who = frozenset(who_of(each.student) for each in waiting or wording.members)
    first = marks[0][1]
    if waiting or first.mark.points is None:
        return Typed(who)
    known = {item.id for item in rubric(sheet.question)}
    items = tuple(each for each in first.items if each in known)
    summed = bool(items) and total(sheet.question, items) == first.mark.points
    points = "" if summed else number(first.mark.points)
    return Typed(who, items, points, first.mark.comment)


def typed(visit: Visit, sheet: Sheet) -> Typed:
    """What was posted."""
    form = visit.form
    known = {item.id for item in rubric(sheet.question)}
    items = tuple(str(each) for each in form.getlist("item") if each in known)
    tokens = {
        name.removeprefix("seen-"): str(value)
        for name, value in form.items()
        if name.startswith("seen-")
    }
    return Typed(
        who=frozenset(map(str, form.getlist("who"))) & tokens.keys(),
        items=tuple(dict.fromkeys(items)),
        points="0" if visit.field("zero") else visit.field("points"),
        comment=visit.field("comment"),
        reused=frozenset(map(str, form.getlist("reuse"))),
        tokens=tokens,
    )


def as_given(form: Typed, sheet: Sheet, wording: Wording) -> list[GivenMark]:
    """The marks that a form means, one for each answer that is ticked.

    Raises:
        UserError: nothing is ticked or typed, or the points are no number.
    """
    points = _points(form, sheet)
    reused = [said for said in sheet.comments() if comment_id(said) in form.reused]
    comment = "\n".join(filter(None, [form.comment, *reused]))
    if points is None and not comment:
        raise UserError("Tick what the answer has, or enter points: 0 for none.")
    given = [
        GivenMark(*member.key, member.id, points, comment, form.items)
        for each in sheet.pile(wording).wordings
        for member in each.members
        if who_of(member.student) in form.who
    ]
    if not given:
        raise UserError("No answer is ticked, so there is none to mark.")
    return given


def comment_id(said: str) -> str:
    """What stands for a comment in the form."""
    return digest(said, WHO)


def _points(form: Typed, sheet: Sheet) -> float | None:
    if not form.points:
        return total(sheet.question, form.items) if form.items else None
    points, most = as_number(form.points), number(sheet.question.points)
    if points is None or not 0 <= points <= sheet.question.points:
        raise UserError(f"Expected points from 0 to {most}, found {one_line(form.points, 20)!r}.")
    return points
