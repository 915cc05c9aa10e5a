"""The desk as an application: its views in a table, behind its guard.

To add a view, write a module `NAME_view.py` in this room with

- a function for each page, `def show(visit: Visit) -> Response`, which ends with
  `return visit.page("NAME_view.html", …)`. `visit.results()` is the class as it is now,
  `visit.place` has the folder, the course and all that views share; `visit.query("sort")` is of
  the address, `visit.part("key")` of the path. What it cannot do is a `UserError`, which becomes a
  page. It may block: each runs in a thread of its own, so what threads share needs a lock;
- a function for each form, which ends with `return visit.other("/where/to/go")`; `visit.field` and
  `visit.file` are what was posted;
- `VIEWS`, a tuple of `DeskView(path, function, title, changes)`. One with a title stands in the
  navigation. One that `changes` something is asked by POST, and only with the token of our pages.

and add its `VIEWS` to the table below. Its template extends `desk.html` and fills the blocks
`title` and `main`. A form holds `{{ token(csrf) }}`, imported from `parts.html`; htmx sends the
token by itself. Everything is escaped. The policy allows no script, style or picture that is not
a file of `static/` (or a picture in the page): no `<script>`, no `style=""`, no `onclick=""`. A
file that is added to `static/` is named with `{{ static("FILE") }}`.

Tests begin with `tests/desk/conftest.py`: `desk` is a client that has been let in.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.desk import (
    adjust_view,
    class_view,
    exercise_view,
    export_view,
    groups_view,
    map_view,
    regrade_view,
    student_view,
    words_view,
)
from autograder.desk.guard import Guard, Secrets, same
from autograder.desk.regrading import Regrading
from autograder.desk.rendering import rendering_environment, served
from autograder.desk.results import CurrentResults, GradeHistory
from autograder.desk.submissions import Submissions
from autograder.desk.view import DeskContext, DeskView, FlashStore, Visit

VIEWS: tuple[DeskView, ...] = (
    *class_view.VIEWS,
    *student_view.VIEWS,
    *exercise_view.VIEWS,
    *map_view.VIEWS,
    *words_view.VIEWS,
    *groups_view.VIEWS,
    *adjust_view.VIEWS,
    *regrade_view.VIEWS,
    *export_view.VIEWS,
)
MOST_FIELDS = 5000

Endpoint = Callable[[Request], Awaitable[Response]]


def application(
    results: Path, course: Course, port: int, secrets: Secrets, views: Sequence[DeskView] = VIEWS
) -> Guard:
    """The desk of a folder of results, for a server on 127.0.0.1 at a port."""
    place = DeskContext(
        results=results,
        course=course,
        now=CurrentResults(results, course),
        past=GradeHistory(results),
        works=Submissions(results, course),
        regrading=Regrading(results),
        kept=FlashStore(),
        secrets=secrets,
        templates=rendering_environment(),
        navigation=tuple((view.title, view.path) for view in views if view.title),
    )
    app = Starlette(
        routes=[*(_route(place, view) for view in views), Route("/static/{name}", served)],
        exception_handlers={HTTPException: _refusal(place), 500: _failure},
    )
    return Guard(app, port, secrets)


def _route(place: DeskContext, view: DeskView) -> Route:
    """Where a view is asked; what it cannot do is a page that says so."""

    async def endpoint(request: Request) -> Response:
        form = await _form(request, place.secrets) if view.changes else FormData()
        visit = Visit(place, request, form)
        try:
            return await run_in_threadpool(view.show, visit)
        except UserError as error:
            return visit.page("trouble.html", 422, said=str(error))
        finally:
            await form.close()

    return Route(view.path, endpoint, methods=["POST" if view.changes else "GET"])


async def _form(request: Request, secrets: Secrets) -> FormData:
    """What was posted, with the token of our pages in it or in a header.

    Raises:
        HTTPException: the token is not there, so that it may be another site's form.
    """
    form = await request.form(max_fields=MOST_FIELDS, max_files=10)
    said = request.headers.get("x-csrf-token") or form.get("csrf", "")
    if not isinstance(said, str) or not same(said, secrets.csrf):
        await form.close()
        raise HTTPException(403, "This form has no token of the desk's. Load the page again.")
    return form


def _refusal(place: DeskContext) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        said = error.detail if isinstance(error, HTTPException) else str(error)
        if status == 404:
            said = "There is no such page."
        return Visit(place, request, FormData()).page("trouble.html", status, said=said)

    return answer


def _failure(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """What went wrong in the desk itself: its log in the terminal says what."""
    return PlainTextResponse("Something went wrong in the desk. The terminal says what.\n", 500)
