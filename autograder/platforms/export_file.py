"""Request and result of an export, with functions for zips, notes and times."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import few, one_line
from autograder.report.html import page_of
from autograder.report.model import Report

MAX_NAMES = 40
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can store
UNIX = 3  # code for Unix file modes


class ExportRequest(msgspec.Struct, frozen=True):
    reports: Sequence[Report]
    course: Course
    results: Path
    template: Path
    column: str | None = None
    scale: bool = False


class ExportFile(msgspec.Struct, frozen=True):
    """File for a platform, with notes for the instructor."""

    data: bytes
    notes: Sequence[str] = ()
    left_out: bool = False  # true if the file has no row for some student


def page_bytes(request: ExportRequest, report: Report) -> bytes:
    page = request.results / page_of(report)
    try:
        return page.read_bytes()
    except OSError as error:
        raise UserError(f"{page} cannot be read: {error.strerror}. Run grade again.") from None


def names_note(title: str, names: Iterable[str]) -> list[str]:
    shown = [one_line(name, 120) for name in names]
    return [f"{title}: {few(shown, MAX_NAMES)}."] if shown else []


def parsed_time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of files in this order. Equal files give equal bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for path, content in files:
            info = zipfile.ZipInfo(path, EPOCH)
            info.create_system = UNIX
            info.external_attr = rights(content) << 16
            file.writestr(info, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def rights(content: bytes) -> int:
    """Return a file's mode: readable for all, and executable for scripts."""
    return 0o755 if content.startswith(b"#!") else 0o644
