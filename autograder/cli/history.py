"""`autograder history`: which results have counted, and what became of a student's grade."""

from pathlib import Path

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
from autograder.cli import log
from autograder.course.errors import UserError
from autograder.course.text import nearest, one_line, several

MOST_CELLS = 4


def run(results: Path, student: str | None, as_json: bool) -> int:
    ensure_settled(results)
    found = versions(results)
    if not found:
        raise UserError(f"{results} has no history. Name the folder that grade wrote with --out.")
    if student is None:
        _print_versions(found, as_json)
    else:
        _print_student(results, found, student, as_json)
    return 0


def _print_versions(found: list[tuple[ResultsVersion, Path]], as_json: bool) -> None:
    table = _table("version", "when (UTC)", "by", "grader", "what")
    for version, _ in found:
        if as_json:
            log.emit("version", **msgspec.to_builtins(version))
        why = ", ".join(f"{reason} {count}" for reason, count in version.why.items())
        what = f"{several(version.changed, 'grade')} of {version.students}"
        said = f"{what}: {why}" if why else what
        if not version.students:
            said = "before there was a history"
        table.add_row(*_about(version), Text(said))
    if not as_json:
        Console(highlight=False).print(table)


def _print_student(
    results: Path, found: list[tuple[ResultsVersion, Path]], student: str, as_json: bool
) -> None:
    """Every version in which the student's grade changed."""
    table = _table("version", "when (UTC)", "by", "grader", "total", "what")
    there: set[str] = set()
    told = 0
    for version, folder in found:
        for change in read_changes(folder / CHANGES):
            there.add(change.student)
            if change.student != student:
                continue
            told += 1
            if as_json:
                about = {"version": version.number, "at": version.at, "by": version.by}
                log.emit("change", **about, **msgspec.to_builtins(change))
            total = f"{change.before} → {change.after or 'none'}" if change.before else change.after
            table.add_row(*_about(version), Text(total), Text(_cells(change)))
    if not told:
        near = nearest(student, there)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"{results} has no history of {one_line(student, 60)!r}.{meant}")
    if not as_json:
        Console(highlight=False).print(table)


def _about(version: ResultsVersion) -> list[Text]:
    grader = version.grader
    made = f"{grader.version} ({grader.digest[:8]})" if grader is not None else ""
    at = version.at.removesuffix("+00:00").replace("T", " ")
    return [Text(str(version.number)), Text(at), Text(version.by), Text(made)]


def _cells(change: Change) -> str:
    if change.kind != "changed":
        return "first graded" if change.kind == "new" else "no longer in the class"
    told = [
        f"{cell.exercise} {cell.before or 'none'} → {cell.after or 'none'}: {', '.join(cell.why)}"
        for cell in change.cells
    ]
    more = [f"… {len(told) - MOST_CELLS} more"] if len(told) > MOST_CELLS else []
    return "\n".join([*told[:MOST_CELLS], *more])


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in names:
        table.add_column(name, overflow="fold", no_wrap=name == "when (UTC)")
    return table
