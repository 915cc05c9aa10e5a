"""The desk as a web application: a table of views, behind a guard.

To add a view, write a function for each page and each form in a module `NAME_view.py`, and add the
functions to the table below. A function may block, because it runs in a separate thread. A
`UserError` is shown as a page. A view's template extends `desk.html`. A form contains `{{
token(csrf) }}` of `parts.html`. Every value is escaped. The content policy allows only scripts,
styles and pictures from `static/`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.desk import (
    class_view,
    export_view,
    groups_view,
    regrade_view,
    student_view,
    words_view,
)
from autograder.desk.guard import Guard, Secrets, same
from autograder.desk.view import DeskContext, DeskView, Visit
from autograder.report.html import code_spans, environment

VIEWS = (  # the navigation has the titles in this order
    DeskView("/", class_view.show, "Class"),
    DeskView("/map", class_view.show_map, "Map"),
    DeskView("/students/{key}", student_view.show),
    DeskView("/adjust/{key}", student_view.show_adjust),
    DeskView("/adjust/{key}/enter", student_view.enter, changes=True),
    DeskView("/adjust/{key}/undo", student_view.undo, changes=True),
    DeskView("/comment/{key}/{exercise}", student_view.comment, changes=True),
    DeskView("/files/{key}/{exercise}", student_view.show_files),
    DeskView("/files/{key}/{exercise}/choose", student_view.choose_file, changes=True),
    DeskView("/exercises", class_view.show_exercises, "Exercises"),
    DeskView("/exercises/{name}", class_view.show_exercise),
    DeskView("/words", words_view.index, "Words"),
    DeskView("/words/settings", words_view.settings, changes=True),
    DeskView("/words/{exercise}/{question}", words_view.show),
    DeskView("/words/{exercise}/{question}/text", words_view.text),
    DeskView("/words/{exercise}/{question}/keep", words_view.keep, changes=True),
    DeskView("/groups", groups_view.index, "Groups"),
    DeskView("/groups/{exercise}/{group}", groups_view.show),
    DeskView("/groups/{exercise}/{group}/name", groups_view.give_name, changes=True),
    DeskView("/groups/{exercise}/{group}/again", groups_view.regrade, changes=True),
    DeskView("/requests", student_view.show_requests, "Requests"),
    DeskView("/requests/{key}/{exercise}", student_view.answer, changes=True),
    DeskView("/regrade", regrade_view.show, "Regrade"),
    DeskView("/regrade/begin", regrade_view.begin, changes=True),
    DeskView("/regrade/apply", regrade_view.apply, changes=True),
    DeskView("/regrade/stop", regrade_view.stop, changes=True),
    DeskView("/export", export_view.show, "Export"),
    DeskView("/export/make", export_view.make, changes=True),
    DeskView("/export/{key}", export_view.made),
    DeskView("/export/{key}/file", export_view.fetch),
)
MAX_FIELDS = 5000
STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))
MAX_LETTERS = 100_000  # the most letters of one displayed value
# Invisible characters that change the display: control characters, direction marks and others.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def application(
    results: Path, course: Course, port: int, secrets: Secrets, views: Sequence[DeskView] = VIEWS
) -> Guard:
    """Return the desk for a folder of results, for a server on 127.0.0.1 and this port."""
    base = environment(TEMPLATES)
    templates = base.overlay(finalize=_harmless)
    templates.filters = {**base.filters, "spans": lambda text: code_spans(_harmless(text))}
    navigation = [(view.title, view.path) for view in views if view.title]
    desk = DeskContext(results, course, secrets, templates, navigation)

    def refusal(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # Starlette handles other errors itself
        text = "This page does not exist." if error.status_code == 404 else error.detail
        return Visit(desk, request, FormData()).page("trouble.html", error.status_code, said=text)

    text = "The desk failed with an internal error. The terminal shows it.\n"
    app = Starlette(
        routes=[
            *(_route(desk, view) for view in views),
            Route("/static/report.css", _report_style),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={
            HTTPException: refusal,
            500: lambda _, __: PlainTextResponse(text, 500),
        },
    )
    return Guard(app, port, secrets)


def _harmless(value: object) -> object:
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > MAX_LETTERS:
        value = f"{value[:MAX_LETTERS]} …"
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)


async def _report_style(_: Request) -> Response:
    sheets = map(environment().get_template, ("style.css", "class.css"))
    style = "\n".join(sheet.render(root=":root", body="body") for sheet in sheets)
    return Response(style, media_type="text/css")


def _route(desk: DeskContext, view: DeskView) -> Route:
    async def endpoint(request: Request) -> Response:
        form = await _form(request, desk.secrets) if view.changes else FormData()
        visit = Visit(desk, request, form)
        try:
            return await run_in_threadpool(view.show, visit)
        except UserError as error:
            return visit.page("trouble.html", 422, said=str(error))
        finally:
            await form.close()

    return Route(view.path, endpoint, methods=["POST" if view.changes else "GET"])


async def _form(request: Request, secrets: Secrets) -> FormData:
    form = await request.form(max_fields=MAX_FIELDS, max_files=10)
    token = request.headers.get("x-csrf-token") or form.get("csrf", "")
    if not isinstance(token, str) or not same(token, secrets.csrf):
        await form.close()
        raise HTTPException(403, "Nothing was saved: this page is out of date. Load it again.")
    return form
