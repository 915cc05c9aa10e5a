"""`autograder history`: which results have counted, and what became of a student's grade."""

from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import (
    CHANGES,
    ResultsVersion,
    ensure_settled,
    read_changes,
    versions,
)
from autograder.cli.log import cell_text, emit
from autograder.cli.options import PATH, json_lines_option
from autograder.course.errors import UserError
from autograder.course.text import nearest, one_line, several

MOST_CELLS = 4


@click.command()
@click.argument("results", type=PATH)
@click.argument("student", required=False)
@json_lines_option
def history(results: Path, student: str | None, as_json: bool) -> None:
    """Say which versions of the RESULTS have counted, or what became of a STUDENT's grade."""
    ensure_settled(results)
    found = versions(results)
    if not found:
        raise UserError(f"{results} has no history. Name the folder that grade wrote with --out.")
    if student is None:
        table = _versions_table(found, as_json)
    else:
        table = _student_table(results, found, student, as_json)
    if not as_json:
        Console(highlight=False).print(table)


def _versions_table(found: list[tuple[ResultsVersion, Path]], as_json: bool) -> Table:
    table = _table("version", "when (UTC)", "by", "grader", "what")
    for version, _ in found:
        if as_json:
            emit("version", **msgspec.to_builtins(version))
        reasons = ", ".join(f"{reason} {count}" for reason, count in version.why.items())
        text = f"{several(version.changed, 'grade')} of {version.students}"
        if not version.students:
            text = "before there was a history"
        elif reasons:
            text = f"{text}: {reasons}"
        table.add_row(*_about(version), Text(text))
    return table


def _student_table(
    results: Path, found: list[tuple[ResultsVersion, Path]], student: str, as_json: bool
) -> Table:
    """Return a row for every version in which the student's grade changed.

    Raises:
        UserError: no version knows the student.
    """
    table = _table("version", "when (UTC)", "by", "grader", "total", "what")
    students: set[str] = set()
    for version, folder in found:
        for change in read_changes(folder / CHANGES):
            students.add(change.student)
            if change.student != student:
                continue
            if as_json:
                about = {"version": version.number, "at": version.at, "by": version.by}
                emit("change", **about, **msgspec.to_builtins(change))
            total = f"{change.before} → {change.after or 'none'}" if change.before else change.after
            table.add_row(*_about(version), Text(total), Text(_cells(change)))
    if student not in students:
        near = nearest(student, students)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"{results} has no history of {one_line(student, 60)!r}.{meant}")
    return table


def _about(version: ResultsVersion) -> list[Text]:
    """Return the cells that say which version it is, when it was made, by whom and with what."""
    grader = version.grader
    made = f"{grader.version} ({grader.digest[:8]})" if grader is not None else ""
    at = version.at.removesuffix("+00:00").replace("T", " ")
    return [Text(str(version.number)), Text(at), Text(version.by), Text(made)]


def _cells(change: Change) -> str:
    if change.kind != "changed":
        return "first graded" if change.kind == "new" else "no longer in the class"
    lines = [f"{cell_text(cell)}: {', '.join(cell.why)}" for cell in change.cells[:MOST_CELLS]]
    if len(change.cells) > MOST_CELLS:
        lines.append(f"… {len(change.cells) - MOST_CELLS} more")
    return "\n".join(lines)


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in names:
        table.add_column(name, overflow="fold", no_wrap=name == "when (UTC)")
    return table
