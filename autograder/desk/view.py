"""What a view of the desk is, and what it gets when it is asked for."""

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
from autograder.desk.results import ClassResults, CurrentResults, GradeHistory
from autograder.desk.submissions import Submissions

# What one page leaves for the next: a sentence that is said once, a file to be fetched.


MOST = 8


class KeptFile(NamedTuple):
    """A file that was made for somebody to fetch, and what is to be said of it."""

    name: str
    data: bytes
    notes: tuple[str, ...]


class FlashStore:
    """The last few sentences and files, by keys that nobody can guess; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: OrderedDict[str, str] = OrderedDict()
        self._files: OrderedDict[str, KeptFile] = OrderedDict()

    def say(self, text: str) -> str:
        """Keep a sentence; its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._said[key] = text
            while len(self._said) > MOST:
                self._said.popitem(last=False)
        return key

    def said(self, key: str) -> str:
        """A sentence, which is then forgotten; nothing where there is none."""
        with self._lock:
            return self._said.pop(key, "")

    def keep(self, file: KeptFile) -> str:
        """Keep a file; its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._files[key] = file
            while len(self._files) > MOST:
                self._files.popitem(last=False)
        return key

    def file(self, key: str) -> KeptFile | None:
        """A file that is kept."""
        with self._lock:
            return self._files.get(key)


class DeskContext(NamedTuple):
    """What all views share: the folder of results, the course, the results as they are now.

    `past` is the history of grades, `works` is what was handed in, `kept` is what one page leaves
    for the next.
    `navigation` are the titles and paths of the views that stand in every page's head.
    """

    results: Path
    course: Course
    now: CurrentResults
    past: GradeHistory
    works: Submissions
    regrading: Regrading
    kept: FlashStore
    secrets: Secrets
    templates: jinja2.Environment
    navigation: tuple[tuple[str, str], ...] = ()


class Visit(NamedTuple):
    """A request to a view; `form` is what was posted, whose token has been checked already."""

    place: DeskContext
    request: Request
    form: FormData

    def query(self, name: str, default: str = "") -> str:
        """A value of the address, as it was typed: it may be anything."""
        return self.request.query_params.get(name, default)

    def part(self, name: str) -> str:
        """What stands in the address for `{name}` of the view's path."""
        return str(self.request.path_params.get(name, ""))

    def field(self, name: str) -> str:
        """A field of what was posted, without blanks around it; nothing where there is none."""
        value = self.form.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def file(self, name: str) -> UploadFile | None:
        """A file that was posted; None where none was chosen."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def results(self) -> ClassResults:
        """The class as its results are now.

        Raises:
            UserError: there are none that can be read.
        """
        return self.place.now.read()

    def page(self, template: str, status: int = 200, **values: object) -> Response:
        """A page made of a template, with what `base` needs."""
        text = self.place.templates.get_template(template).render(
            visit=self,
            course=self.place.course.title,
            navigation=self.place.navigation,
            here=self.request.url.path,
            csrf=self.place.secrets.csrf,
            **values,
        )
        return HTMLResponse(text, status)

    def other(self, path: str) -> Response:
        """Go on to another page: what follows a form that was carried out."""
        return RedirectResponse(path, 303)


class DeskView(NamedTuple):
    """A page of the desk, or what a form of one does.

    `path` is Starlette's, such as "/students/{key}"; with a `title` it stands in the navigation.
    `show` runs in a thread of its own. A view that `changes` anything is asked by POST alone.
    """

    path: str
    show: Callable[[Visit], Response]
    title: str = ""
    changes: bool = False
