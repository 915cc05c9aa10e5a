"""Views of the desk, and the requests that they handle."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jinja2
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from autograder.course.course_file import Course
from autograder.desk.guard import Secrets
from autograder.desk.regrading import Regrading
from autograder.desk.results import ClassResults, CurrentResults

MAX_KEPT = 16


class KeptFile(NamedTuple):
    """File that a user can download, with notes on it."""

    name: str
    data: bytes
    notes: tuple[str, ...]


class FlashStore:
    """Sentences and files that a page stores for the next page. Their keys are random."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, str | KeptFile] = OrderedDict()

    def keep(self, kept: str | KeptFile) -> str:
        """Store a sentence or a file; return its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._kept[key] = kept
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return key

    def pop_sentence(self, key: str) -> str:
        """Return the sentence with this key and delete it; "" if the key is not known."""
        with self._lock:
            found = self._kept.pop(key, "") if isinstance(self._kept.get(key), str) else ""
        return found if isinstance(found, str) else ""

    def file(self, key: str) -> KeptFile | None:
        with self._lock:
            found = self._kept.get(key)
        return found if isinstance(found, KeptFile) else None


class DeskContext(NamedTuple):
    """State that all views have in common.

    `flash` stores texts and files for the next page. `navigation` has titles and paths of pages.
    """

    results: Path
    course: Course
    current: CurrentResults
    regrading: Regrading
    flash: FlashStore
    secrets: Secrets
    templates: jinja2.Environment
    navigation: tuple[tuple[str, str], ...] = ()


class Visit(NamedTuple):
    """Request to a view. `form` has the posted fields; their token was checked."""

    desk: DeskContext
    request: Request
    form: FormData

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address. A user may have typed anything there."""
        return self.request.query_params.get(name, default)

    def part(self, name: str) -> str:
        """Return the part of the address that matches `{name}` in the view's path."""
        return str(self.request.path_params.get(name, ""))

    def field(self, name: str) -> str:
        """Return a posted field without surrounding spaces; "" if the field is missing."""
        value = self.form.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def file(self, name: str) -> UploadFile | None:
        """Return a posted file; None if no file was chosen."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def results(self) -> ClassResults:
        """Return the current results of the class.

        Raises:
            UserError: there are no results that can be read.
        """
        return self.desk.current.read()

    def page(self, template: str, status: int = 200, **values: object) -> Response:
        text = self.desk.templates.get_template(template).render(
            visit=self,
            course=self.desk.course.title,
            navigation=self.desk.navigation,
            here=self.request.url.path,
            csrf=self.desk.secrets.csrf,
            **values,
        )
        return HTMLResponse(text, status)

    def redirect(self, path: str) -> Response:
        """Redirect to another page, after a form was handled."""
        return RedirectResponse(path, 303)


class DeskView(NamedTuple):
    """Page of the desk, or action of a form.

    `path` is a path for Starlette, such as "/students/{key}". A view with a `title` is in the
    navigation. `show` runs in its own thread. If `changes` is true, the view accepts only POST.
    """

    path: str
    show: Callable[[Visit], Response]
    title: str = ""
    changes: bool = False
