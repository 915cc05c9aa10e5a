"""Times of the desk's views for a large class, beside one reading of its records."""

import tempfile
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient

from autograder.course.course_file import load_course
from autograder.desk.application import application
from autograder.desk.guard import Secrets
from autograder.desk.results import ClassResults
from benchmarks.commands import ROOT
from benchmarks.timing import FULL, Row, Size, in_turn, seconds
from tests.desk.generated import with_submissions

PORT = 8123
VIEWS = {
    "class, 200 rows": "/",
    "class, all rows": "/?rows=all",
    "student": "/students/u0003",
    "exercises": "/exercises",
    "exercise": "/exercises/self_attention",
    "map": "/map",
    "adjust": "/adjust/u0003",
    "regrade": "/regrade",
    "export": "/export",
}


def views(size: Size) -> list[Row]:
    """Return a row for each view; the first has the first reading of a new class."""
    students = 1_000 if size is FULL else 20
    course = load_course(ROOT / "course.yml")
    with tempfile.TemporaryDirectory() as folder:
        results = with_submissions(Path(folder), students, ROOT)
        secrets = Secrets()
        app = application(results, course, PORT, secrets)
        client = TestClient(app, base_url=f"http://127.0.0.1:{PORT}")
        first = seconds(lambda: client.get(f"/?token={secrets.new_token()}"))
        asked = [partial(client.get, path) for path in VIEWS.values()]
        read, *times = in_turn(size.commands, lambda: ClassResults(results, course), *asked)
    of = f"desk, {students:,} × {len(course.exercises)}"
    rows = [(f"{of}: first page / read the class", *_told(first, read), "at most 1 s")]
    for name, spent in zip(VIEWS, times, strict=True):
        rows.append((f"{of}: {name} / read the class", *_told(spent, read), "at most 300 ms"))
    return rows


def _told(spent: float, read: float) -> tuple[str, str]:
    return f"{spent * 1000:.0f} ms / {read * 1000:.0f} ms", f"{spent / read:.2f}×"
