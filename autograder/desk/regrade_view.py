"""The view *Regrade*: show the effect of new entries or files, and apply it."""

from pathlib import Path

from starlette.responses import Response

from autograder.classroom.adjustments import unapplied_entries
from autograder.classroom.grade_difference import GradeDifference, headline
from autograder.classroom.history import GradeCommand, grade_commands
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.desk.view import Visit

MOST = 500  # changes on a page
ADDRESS = "/regrade"


def show(visit: Visit) -> Response:
    run, now = visit.desk.regrading.run, visit.results
    by_id = {student.id: student for student in now.students}
    entered = ""  # a sentence on entered marks and adjustments that are not applied yet
    if run is None or run.state != "running":
        reports = [now.report(student.id) for student in now.students]
        try:
            entered, _ = unapplied_entries(visit.desk.results, visit.course, reports)
        except UserError as error:
            entered = str(error)
    changes = run.changes if run else []
    shown = sorted(changes, key=lambda change: change.fills)[:MOST]
    return visit.page(
        "regrade_view.html",
        run=run,
        commands=[_in_words(command) for command in grade_commands(visit.desk.results)],
        entered=entered,
        headline=headline(GradeDifference(changes, run.pages if run else 0)),
        changes=[(change, by_id.get(change.student)) for change in shown],
        left_out=max(0, len(changes) - MOST),
    )


def _in_words(command: GradeCommand) -> str:
    parts = [command.submissions]
    parts += [f"only {few(names, 4)}" for names in (command.exercises, command.students) if names]
    parts += [f"with {Path(command.roster).name}"] if command.roster else []
    return ", ".join(parts)


def begin(visit: Visit) -> Response:
    """Start a run that finds what regrading would change."""
    known = grade_commands(visit.desk.results)
    number = visit.field("command")
    if not number.isdecimal() or int(number[:4]) >= len(known):
        raise UserError(
            "The command that made these results is not recorded. Run `autograder grade` once in "
            "the terminal. Then the desk can repeat it."
        )
    visit.desk.regrading.begin(known[int(number[:4])])
    return visit.redirect(ADDRESS)


def apply(visit: Visit) -> Response:
    visit.desk.regrading.apply(visit.field("difference"))
    return visit.redirect(ADDRESS)


def stop(visit: Visit) -> Response:
    if visit.desk.regrading.run is not None:
        visit.desk.regrading.run.stop()
    return visit.redirect(ADDRESS)
