"""The view *Export*: grades for a platform, and feedback for students."""

import re
import shutil
import tempfile
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.course.errors import UserError
from autograder.desk.view import KeptFile, Visit
from autograder.platforms.export import EXPORTS, export_file

GRADES = {
    "canvas": "Canvas gradebook",
    "moodle": "Moodle grading worksheet",
    "blackboard": "Blackboard grade centre",
    "brightspace": "Brightspace grades",
}
FEEDBACK = {
    "feedback": "A page for each student, and a mail-merge table",
    "moodle-feedback": "Moodle feedback files",
    "gradescope": "Gradescope results",
}


def show(visit: Visit) -> Response:
    return visit.page("export_view.html", grades=GRADES, feedback=FEEDBACK)


def make(visit: Visit) -> Response:
    platform, posted = visit.field("platform"), visit.form.get("template")
    if platform not in EXPORTS:
        raise UserError("Choose what the file is for.")
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        template = None
        if isinstance(posted, UploadFile) and posted.filename:
            name = re.sub(r"[^\w.-]+", "_", Path(posted.filename).name).strip(".")[-80:]
            template = Path(folder) / (name or "template")  # a plain name without folders
            with template.open("wb") as place:
                shutil.copyfileobj(posted.file, place)
        column, scale = visit.field("column") or None, bool(visit.field("scale"))
        file = export_file(platform, visit.desk.results, visit.course, template, column, scale)
    suffix = "zip" if file.data.startswith(b"PK") else "csv"
    key = visit.desk.keep(KeptFile(f"{platform}.{suffix}", file.data, tuple(file.notes)))
    return visit.redirect(f"/export/{key}")


def _file(visit: Visit) -> KeptFile:
    file = visit.desk.kept.get(visit.part("key"))
    if not isinstance(file, KeptFile):
        raise HTTPException(404)
    return file


def made(visit: Visit) -> Response:
    return visit.page("exported_view.html", file=_file(visit), key=visit.part("key"))


def fetch(visit: Visit) -> Response:
    """Send a file as a download. Browsers save it instead of opening it."""
    file = _file(visit)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.data, headers=headers, media_type="application/octet-stream")
