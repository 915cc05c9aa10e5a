"""The honest part of the sample class, graded by nbgrader with a kernel and in both of our ways.

`python -m tests.nbgrader.sample_class` takes a quarter of an hour, mostly in nbgrader; arguments
limit it to these assignments. It exits with 1 if a row of the gradebook or the export differs.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import nbformat
from nbformat.v4 import new_code_cell

from autograder.authoring.build import as_book
from autograder.classroom.records import REPORTS
from autograder.course.course_file import load_course
from autograder.report.model import Report
from autograder.submission.source import read_source
from tests.conftest import ROOT
from tests.nbgrader.course import ShortCourse, set_answers, with_a_kernel

CLASS = ROOT / "examples" / "class"


class WholeCourse(ShortCourse):
    """The course itself in an nbgrader directory."""

    def _make_kit(self) -> None:
        self.kit = ROOT


def honest(scratch: Path) -> dict[str, dict[str, Path]]:
    """Return, by student and exercise, the files that could be graded and declare no attack."""
    command = [sys.executable, "-m", "autograder", "grade", str(CLASS), "--out", str(scratch)]
    subprocess.run(command, cwd=ROOT, capture_output=True)
    found = {}
    for line in (scratch / REPORTS).read_bytes().splitlines():
        report = msgspec.json.decode(line, type=Report)
        files = {
            each.name: next((CLASS / report.student).rglob(each.file))
            for each in report.exercises
            if each.status in ("graded", "by hand")
            and not any(check.outcome in ("timed out", "crashed") for check in each.checks)
        }
        found[report.student] = {
            name: path for name, path in files.items() if "Hostile" not in path.read_text()[:500]
        }
    return found


def hand_in(short: ShortCourse, assignment: str, student: str, files: dict[str, Path]) -> None:
    """Hand in a student's files as notebooks of an assignment, with the other files."""
    place = short.directory / "submitted" / student / assignment
    for name, path in files.items():
        released = short.directory / "release" / assignment / f"{name}.ipynb"
        place.mkdir(parents=True, exist_ok=True)
        book = nbformat.read(released, as_version=4)
        if path.suffix == ".py":
            answers = {cell["id"]: cell["source"] for cell in as_book(path.read_text()).cells}
        else:
            answers = {}
        wanted = [cell for cell in book.cells if cell.metadata.get("nbgrader", {}).get("solution")]
        if all(cell["id"] in answers for cell in wanted):
            set_answers(book, answers)
        else:
            for cell in wanted:
                cell.source = ""
            units = read_source(path, name).units
            first = book.cells.index(wanted[0])
            book.cells[first:first] = [new_code_cell(unit.text) for unit in units]
        nbformat.write(book, place / f"{name}.ipynb")
    for path in (CLASS / student).glob("*.py"):
        if place.is_dir():
            shutil.copy(path, place)


def differences(short: ShortCourse, assignment: str) -> list[str]:
    """Return the differences between the three ways."""
    config = short.directory / "nbgrader_config.py"
    whole = config.read_text()
    found = {}
    for way in ("our command", "the button", "a kernel"):
        if way == "our command":
            short.autograder("grade", assignment)
        else:
            config.write_text(whole if way == "the button" else with_a_kernel(whole))
            shutil.rmtree(short.directory / "autograded")
            short.nbgrader("autograde", assignment)
        found[way] = {*map(str, short.rows()), *short.export().splitlines()}
        print(f"{assignment}: {way}: {len(found[way])} rows", flush=True)
        config.write_text(whole)
    ours = found.pop("our command")
    return [f"{way}: {row}" for way, theirs in found.items() for row in sorted(ours ^ theirs)]


def main(*names: str) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        short = WholeCourse(Path(scratch))
        course = load_course(ROOT / "course.yml")
        short.init()
        with open(short.directory / "nbgrader_config.py", "a") as config:
            config.write(short.exchange)
        students = honest(Path(scratch) / "out")
        different = []
        for assignment in course.content.assignments:
            if names and assignment.name not in names:
                continue
            short.nbgrader("generate_assignment", assignment.name)
            for student, files in students.items():
                mine = {name: files[name] for name in assignment.exercises if name in files}
                hand_in(short, assignment.name, student, mine)
            different += differences(short, assignment.name)
    print("\n".join(different) or "All three ways agree in every row.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
