"""Views of the desk, and requests to views."""

import functools
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import jinja2
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.history import ensure_settled
from autograder.classroom.marking import Marking
from autograder.classroom.records import REPORTS
from autograder.course.course_file import Course
from autograder.desk.guard import Secrets
from autograder.desk.naming import GroupJobs
from autograder.desk.regrading import Regrading
from autograder.desk.results import ClassMember, ClassResults

MAX_KEPT = 16


class KeptFile(NamedTuple):
    name: str
    data: bytes
    notes: tuple[str, ...]


class DeskContext:
    """State of all views: `kept` has sentences and files for the next page, by random keys."""

    def __init__(
        self,
        results: Path,
        course: Course,
        secrets: Secrets,
        templates: jinja2.Environment,
        navigation: Sequence[tuple[str, str]],
    ) -> None:
        self.results, self.course, self.secrets = results, course, secrets
        self.templates, self.navigation = templates, navigation
        self.marking = Marking(results, course)
        self.regrading = Regrading(results)
        self.jobs = GroupJobs()
        self.kept: dict[str, str | KeptFile] = {}

    def keep(self, kept: str | KeptFile) -> str:
        key = secrets.token_urlsafe(9)
        self.kept[key] = kept
        for old in list(self.kept)[:-MAX_KEPT]:
            self.kept.pop(old, None)
        return key

    def pop_sentence(self, key: str) -> str:
        """Remove the sentence with this key, and return it. For an unknown key, return ""."""
        kept = self.kept.pop(key, "")
        return kept if isinstance(kept, str) else ""


class Visit:
    """Request to a view. `form` has the posted fields, after a check of the form's token."""

    def __init__(self, desk: DeskContext, request: Request, form: FormData) -> None:
        self.desk, self.course, self.request, self.form = desk, desk.course, request, form

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address. It may be any text."""
        return self.request.query_params.get(name, default)

    def part(self, name: str) -> str:
        """Return the part of the address at `{name}` in the view's path."""
        return str(self.request.path_params.get(name, ""))

    def field(self, name: str) -> str:
        """Return a posted field without surrounding spaces. If the field is missing, return ""."""
        value = self.form.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    @functools.cached_property
    def results(self) -> ClassResults:
        """The class's results, which are read again when a command has changed them."""
        results, course = self.desk.results, self.course
        ensure_settled(results)
        read = functools.partial(ClassResults, results, course)
        return self.desk.marking.cached("class", [REPORTS], read)

    @functools.cached_property
    def student(self) -> ClassMember:
        """The student with the key in the address."""
        student = self.results.by_key.get(self.part("key"))
        if student is None:
            raise HTTPException(404)
        return student

    def adjustments(self) -> Adjustments:
        return Adjustments(self.desk.results, self.course)

    def page(self, template: str, status: int = 200, **values: object) -> Response:
        text = self.desk.templates.get_template(template).render(
            visit=self,
            course=self.course.title,
            navigation=self.desk.navigation,
            here=self.request.url.path,
            csrf=self.desk.secrets.csrf,
            **values,
        )
        return HTMLResponse(text, status)

    def redirect(self, path: str) -> Response:
        """Redirect to another page after handling a form."""
        return RedirectResponse(path, 303)


class DeskView(NamedTuple):
    """Page of the desk, or action of a form on a page."""

    path: str  # path for Starlette, such as "/students/{key}"
    show: Callable[[Visit], Response]  # runs in its own thread
    title: str = ""  # shown in the navigation
    changes: bool = False  # true if the view accepts only POST
