"""`autograder diff` and `history`: changed grades, as `grade` shows them."""

import sys
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom.grade_difference import TOTAL, Change, GradeDifference, compare, headline
from autograder.classroom.history import (
    CHANGES,
    HISTORY,
    ResultsVersion,
    ensure_settled,
    read_changes,
    versions,
)
from autograder.classroom.records import REPORTS, Records
from autograder.cli.log import cell_text, emit, emit_changes
from autograder.cli.options import PATH, json_lines_option
from autograder.course.errors import UserError
from autograder.course.text import did_you_mean, one_line, several

MOST = 10  # changes that a run lists
MOST_CELLS = 3
MOST_CHECKS = 2
MOST_OF_DIFF = 12
MOST_OF_HISTORY = 4  # changed cells listed for each version


@click.command()
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@click.option(
    "--all", "everything", is_flag=True, help="List every student, not only the first few."
)
@json_lines_option
def diff(before: Path, after: Path, everything: bool, as_json: bool) -> None:
    """List students whose grades differ in the results BEFORE and AFTER, with the reasons.

    A folder of results is RESULTS, RESULTS/proposed or an old version such as RESULTS/history/0001.
    The exit code is 0 if all grades are the same, 1 if some differ, and 2 if the command failed.
    """
    old, new = _records(before), _records(after)
    difference = GradeDifference()
    for student in dict.fromkeys([*new.students, *old.students]):  # those who are gone come last
        if old.line(student) != new.line(student):
            change = compare(old.get(student), new.get(student), None)
            if change is None:
                difference.texts += 1
            else:
                difference.changes.append(change)
    if as_json:
        emit_changes(difference.changes)
    else:
        most = None if everything else MOST_OF_DIFF
        console = Console(highlight=False)
        print_difference(console, difference, Path("the output of diff --all"), most)
    raise SystemExit(1 if difference.changes else 0)


def _records(place: Path) -> Records:
    folder = place if place.is_dir() else place.parent
    ensure_settled(folder)
    records = Records(place / REPORTS if place.is_dir() else place)
    if not records.there and folder.parent.name == HISTORY:
        raise UserError(
            f"{place} is the current version. Its records are in {folder.parent.parent}. Use "
            f"that folder."
        )
    if not records.there:
        raise UserError(f"{place} holds no {REPORTS}. Name a folder that grade wrote with --out.")
    return records


def in_a_terminal() -> bool:
    """Return True if a person at a terminal can answer questions."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirm() -> bool:
    """Ask the person at the terminal. Return True for yes."""
    try:
        question = "Apply these changes? The current grades stay in history/."
        return click.confirm(question, default=False, err=True)
    except click.Abort:  # no more input
        return False


def print_difference(
    console: Console, difference: GradeDifference, rest: Path, most: int | None = MOST
) -> None:
    """Print at most `most` changes of grades with their reasons.

    If there are more than `most`, each printed change has one line, without checks.
    """
    changes = difference.changes
    for line in headline(difference):
        console.print(Text(line))
    if not changes:
        return
    few = most is None or len(changes) <= most
    table = _table("student", "total", "what changes", "why")
    for column in table.columns:
        column.overflow, column.no_wrap = "fold" if few else "ellipsis", not few
    first = sorted(changes, key=lambda change: change.fills)[:most]  # new grades come last
    for change in first:
        cells = _cells(change, few)
        table.add_row(*map(Text, (change.student, _totals(change), cells, ", ".join(change.why))))
    console.print(table)
    if len(changes) > len(first):
        console.print(Text(f"… and {len(changes) - len(first)} more, in {rest}."), soft_wrap=True)


def _totals(change: Change) -> str:
    return f"{change.before} → {change.after or 'none'}" if change.before else change.after


def _cells(change: Change, with_checks: bool) -> str:
    if change.kind != "changed":
        return "added" if change.kind == "new" else "removed"
    cells = [cell for cell in change.cells if cell.exercise != TOTAL] or change.cells
    most = MOST_CELLS if with_checks else 1
    texts = []
    for cell in cells[:most]:
        checks = [*cell.checks[:MOST_CHECKS], *["…"] * (len(cell.checks) > MOST_CHECKS)]
        where = f" ({'; '.join(checks)})" if checks and with_checks else ""
        texts.append(f"{cell_text(cell)}{where}")
    if len(cells) > most:
        texts.append(f"… {len(cells) - most} more")
    return ("\n" if with_checks else ", ").join(texts)


@click.command()
@click.argument("results", type=PATH)
@click.argument("student", required=False)
@json_lines_option
def history(results: Path, student: str | None, as_json: bool) -> None:
    """List the versions of the RESULTS, or each change of one STUDENT's grade."""
    ensure_settled(results)
    known = versions(results)
    if not known:
        raise UserError(f"{results} has no history. Give the folder that you named with --out.")
    if student is None:
        table = _table("version", "when (UTC)", "by", "grader", "what")
        for version, _ in known:
            table.add_row(*_about(version), Text(_version_text(version)))
            if as_json:
                emit("version", **msgspec.to_builtins(version))
    else:
        table = _student_table(results, known, student, as_json)
    if not as_json:
        Console(highlight=False).print(table)


def _version_text(version: ResultsVersion) -> str:
    if not version.students:
        return "the results before the history began"
    count = several(version.changed, "new or changed grade")
    reasons = ", ".join(f"{reason} {count}" for reason, count in version.why.items())
    text = f"{count} in a class of {version.students}"
    return f"{text}: {reasons}" if reasons else text


def _student_table(
    results: Path, known: list[tuple[ResultsVersion, Path]], student: str, as_json: bool
) -> Table:
    table = _table("version", "when (UTC)", "by", "grader", "total", "what")
    students: set[str] = set()
    for version, folder in known:
        for change in read_changes(folder / CHANGES):
            students.add(change.student)
            if change.student == student:
                table.add_row(*_about(version), Text(_totals(change)), Text(_change_text(change)))
                if as_json:
                    about = {"version": version.number, "at": version.at, "by": version.by}
                    emit("change", **about, **msgspec.to_builtins(change))
    if student not in students:
        meant = did_you_mean(student, students)
        raise UserError(f"No version of {results} has a student {one_line(student, 60)!r}.{meant}")
    return table


def _about(version: ResultsVersion) -> list[Text]:
    grader = version.grader
    made = f"{grader.version} ({grader.digest[:8]})" if grader is not None else ""
    at = version.at.removesuffix("+00:00").replace("T", " ")
    return [Text(str(version.number)), Text(at), Text(version.by), Text(made)]


def _change_text(change: Change) -> str:
    if change.kind != "changed":
        return "first graded" if change.kind == "new" else "no longer in the class"
    lines = [f"{cell_text(cell)}: {', '.join(cell.why)}" for cell in change.cells[:MOST_OF_HISTORY]]
    if len(change.cells) > MOST_OF_HISTORY:
        lines.append(f"… {len(change.cells) - MOST_OF_HISTORY} more")
    return "\n".join(lines)


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in names:
        table.add_column(name, overflow="fold", no_wrap=name == "when (UTC)")
    return table
