"""The view *Words*: shows answers in words, one question at a time, grouped by their words."""

from collections.abc import Mapping
from urllib.parse import quote, unquote

import msgspec
from starlette.responses import PlainTextResponse, Response

from autograder.classroom.history import user
from autograder.classroom.marking import (
    Overtaken,
    Sheet,
    Wording,
    rubric,
    sheets,
    total,
)
from autograder.classroom.store import GivenMark
from autograder.classroom.table_import import as_number
from autograder.course.errors import UserError
from autograder.course.text import digest, number, one_line, printable
from autograder.desk.view import Visit

ID_LENGTH = 16
MAX_SHOWN = 20_000  # characters of an answer; a link shows the rest
MAX_COMMENTS = 12
BY, BLIND = "autograder-desk-by", "autograder-desk-blind"
YEAR = 365 * 24 * 3600


class MarkForm(msgspec.Struct, frozen=True):
    """Form for marking answers in words. `who` has students' ids, `trouble` the error message."""

    who: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()
    points: str = ""
    comment: str = ""
    reused: frozenset[str] = frozenset()
    tokens: Mapping[str, str] = {}
    trouble: str = ""


def _who(student: str) -> str:
    return digest(f"who {student}", ID_LENGTH)


def _current_form(sheet: Sheet, wording: Wording) -> MarkForm:
    """Return a form. If all answers have marks, the form is filled in. Otherwise, it is empty."""
    marks = [sheet.marking.standing(member) for member in wording.members]
    waiting = [member for member, mark in zip(wording.members, marks, strict=True) if mark.is_open]
    who = frozenset(_who(member.student) for member in waiting or wording.members)
    first = marks[0]
    if waiting or first.mark.points is None:
        return MarkForm(who)
    known = {item.id for item in rubric(sheet.question)}
    items = tuple(item for item in first.items if item in known)
    summed = bool(items) and total(sheet.question, items) == first.mark.points
    return MarkForm(who, items, "" if summed else number(first.mark.points), first.mark.comment)


def _posted_form(visit: Visit, sheet: Sheet) -> MarkForm:
    form = visit.form
    known = {item.id for item in rubric(sheet.question)}
    tokens = {
        name.removeprefix("seen-"): str(value)
        for name, value in form.items()
        if name.startswith("seen-")
    }
    return MarkForm(
        who=frozenset(map(str, form.getlist("who"))) & tokens.keys(),
        items=tuple(dict.fromkeys(str(item) for item in form.getlist("item") if item in known)),
        points="0" if visit.field("zero") else visit.field("points"),
        comment=visit.field("comment"),
        reused=frozenset(map(str, form.getlist("reuse"))),
        tokens=tokens,
    )


def _given_marks(form: MarkForm, sheet: Sheet, wording: Wording) -> list[GivenMark]:
    points = total(sheet.question, form.items) if form.items else None
    if form.points:
        points, most = as_number(form.points), sheet.question.points
        if points is None or not 0 <= points <= most:
            typed = one_line(form.points, 20)
            raise UserError(f"Expected points from 0 to {number(most)}, found {typed!r}.")
    reused = [comment for comment in sheet.comments() if digest(comment, ID_LENGTH) in form.reused]
    comment = "\n".join(filter(None, [form.comment, *reused]))
    if points is None and not comment:
        raise UserError(
            "Tick the items that the answer has, or enter points. For no points, enter 0."
        )
    given = [
        GivenMark(*member.key, member.id, points, comment, form.items)
        for member in wording.members
        if _who(member.student) in form.who
    ]
    if not given:
        raise UserError("Tick at least one answer.")
    return given


def _sheet(visit: Visit) -> Sheet:
    return Sheet(visit.desk.marking, visit.part("exercise"), visit.part("question"))


def index(visit: Visit) -> Response:
    """Show all questions with the progress of marking."""
    progress = [(sheet, sheet.progress()) for sheet in sheets(visit.desk.marking)]
    return visit.page(
        "words_view.html", found=progress, by=_by(visit), blind=_is_blind(visit), user=user()
    )


def show(visit: Visit) -> Response:
    """Show a question with the wording in the address, or its next unmarked wording."""
    sheet = _sheet(visit)
    wording = sheet.wording(visit.query("at")) or sheet.next_open() or sheet.beside(None, 1)
    if wording is None:
        raise UserError(f"Nobody has answered {sheet.question.title!r}.")
    return _page(visit, sheet, wording, _current_form(sheet, wording))


def keep(visit: Visit) -> Response:
    """Save the mark from a form, and continue with the next unmarked wording."""
    sheet = _sheet(visit)
    wording = sheet.wording(visit.field("at"))
    if wording is None:
        raise UserError("This answer no longer exists, because the class was graded again.")
    form = _posted_form(visit, sheet)
    try:
        given = _given_marks(form, sheet, wording)
        by = _by(visit) or user() or "the desk"
        sheet.marking.enter(by, given, [form.tokens[_who(mark.student)] for mark in given])
    except Overtaken as late:
        form = msgspec.structs.replace(form, trouble=_overtaken(sheet, late))
        return _page(visit, sheet, wording, form, 409)
    except UserError as error:
        form = msgspec.structs.replace(form, trouble=str(error))
        return _page(visit, sheet, wording, form, 422)
    following = sheet.next_open(wording)
    if following is None:
        return visit.redirect("/words")
    return visit.redirect(f"{_path(sheet)}?at={following.id}")


def text(visit: Visit) -> Response:
    """Send a whole answer as text."""
    wording = _sheet(visit).wording(visit.query("at"))
    if wording is None:
        raise UserError("This answer does not exist.")
    whole = wording.members[0].answer.text
    return PlainTextResponse(printable(whole, len(whole)))


def settings(visit: Visit) -> Response:
    """Save two settings in this browser: the marker's name, and whether names are hidden."""
    answer = visit.redirect("/words")
    by = quote(one_line(visit.field("by"), 60))
    for name, value in ((BY, by), (BLIND, "yes" if visit.field("blind") else "")):
        answer.set_cookie(name, value, max_age=YEAR, httponly=True, samesite="strict")
    return answer


def _by(visit: Visit) -> str:
    return one_line(unquote(visit.request.cookies.get(BY, "")), 60)


def _is_blind(visit: Visit) -> bool:
    return bool(visit.request.cookies.get(BLIND))


def _path(sheet: Sheet) -> str:
    return f"/words/{sheet.exercise}/{sheet.question.name}"


def _overtaken(sheet: Sheet, late: Overtaken) -> str:
    answers, said = sheet.marking.answers(), []
    for key in late.keys[:3]:
        now = sheet.marking.standing(answers[key])
        points = "no points" if now.mark.points is None else f"{number(now.mark.points)} points"
        said.append(f"{now.by or 'the table'} gave {points}")
    return (
        f"Another mark was given meanwhile: {'; '.join(said)}. Your mark was not saved. To "
        f"replace the other mark, save yours again."
    )


def _page(
    visit: Visit, sheet: Sheet, wording: Wording, form: MarkForm, status: int = 200
) -> Response:
    whole = wording.members[0].answer.text
    return visit.page(
        "words_question.html",
        status,
        sheet=sheet,
        path=_path(sheet),
        items=rubric(sheet.question),
        comments=[
            (digest(comment, ID_LENGTH), comment) for comment in sheet.comments()[:MAX_COMMENTS]
        ],
        form=form,
        text=printable(whole, MAX_SHOWN),
        letters=len(whole) if len(whole) > MAX_SHOWN else 0,
        shown=wording,
        progress=sheet.progress(),
        at=sheet.wordings.index(wording) + 1,
        before=sheet.beside(wording, -1),
        after=sheet.beside(wording, 1),
        waiting=sheet.next_open(wording),
        blind=_is_blind(visit),
        who_of=_who,
        one_line=one_line,
        printable=printable,
    )
