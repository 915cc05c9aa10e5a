"""The view *Groups*: shows failures without a name, and lets a person name and regrade them."""

import functools
from pathlib import Path

import msgspec
from starlette.responses import Response

from autograder.classroom.history import GradeCommand, grade_commands
from autograder.course.errors import UserError
from autograder.course.text import one_line, printable
from autograder.desk.naming import (
    ConfinedWork,
    GroupState,
    MistakeText,
    checked_words,
    write_mistake,
)
from autograder.desk.results import UnnamedGroup
from autograder.desk.view import Visit
from autograder.submission.source import Source

READ, MAX_READ = 3, 12  # number of submissions to show, and the most to read for them
MAX_CODE = 8000
MAX_SHOWN = 50


def index(visit: Visit) -> Response:
    groups = visit.results.unnamed
    titles = {name: exercise.title for name, exercise in visit.course.exercises.items()}
    several = sum(len(group.students) > 1 for group in groups)
    return visit.page(
        "groups_view.html", groups=groups, several=several, titles=titles, most=MAX_SHOWN
    )


def show(visit: Visit) -> Response:
    return _page(visit, *_group(visit))


def give_name(visit: Visit) -> Response:
    """Start a job that writes the mistake into the course if `verify` passes."""
    group, state = _group(visit)
    hints = tuple(visit.field(f"hint{number}") for number in (1, 2, 3))
    words = MistakeText(visit.field("id"), visit.field("finding"), hints)
    visit.desk.jobs.change((group.exercise, group.id), words=words)
    try:
        work = _work(visit, group)
        write = functools.partial(write_mistake, work, checked_words(words))
    except UserError as error:
        state = msgspec.structs.replace(state, words=words, trouble=str(error))
        return _page(visit, group, state, 422)
    visit.desk.jobs.begin((group.exercise, group.id), write)
    return visit.redirect(f"/groups/{group.exercise}/{group.id}")


def regrade(visit: Visit) -> Response:
    """Start a run of the view *Regrade* that grades only this group."""
    group, _ = _group(visit)
    command = _last_command(visit, group)
    only = {"exercises": (group.exercise,), "students": tuple(group.students)}
    visit.desk.regrading.begin(msgspec.structs.replace(command, **only))
    return visit.redirect("/regrade")


def _group(visit: Visit) -> tuple[UnnamedGroup, GroupState]:
    exercise, id = visit.part("exercise"), visit.part("group")
    for group in visit.results.unnamed:
        if (group.exercise, group.id) == (exercise, id):
            return group, visit.desk.jobs.state((exercise, id))
    raise UserError(
        f"{one_line(exercise, 60)} no longer has a group {one_line(id, 20)!r}: the submissions "
        f"or the known mistakes have changed."
    )


def _last_command(visit: Visit, group: UnnamedGroup) -> GradeCommand:
    for command in grade_commands(visit.desk.results):
        if not command.exercises or group.exercise in command.exercises:
            return command
    raise UserError(
        f"The command that graded {one_line(group.exercise, 60)} is not recorded. Run `autograder "
        f"grade` again with --out {visit.desk.results}."
    )


def _work(visit: Visit, group: UnnamedGroup) -> ConfinedWork:
    command = _last_command(visit, group)
    sources = tuple(source for _, source in _sources(visit, group))
    if not sources:
        raise UserError(
            f"This group's submissions are no longer in {command.submissions}. Put them back, or "
            f"grade them from where they are now."
        )
    return ConfinedWork(
        visit.course.root,
        group.exercise,
        group.id,
        sources,
        command.own_code,
        secret=(Path(command.submissions), visit.desk.results.resolve()),
    )


def _sources(visit: Visit, group: UnnamedGroup) -> list[tuple[str, Source]]:
    different: dict[str, tuple[str, Source]] = {}
    for student in list(group.students)[:MAX_READ]:
        works = visit.results.submissions.works(student)
        source = next(filter(None, (work.sources.get(group.exercise) for work in works)), None)
        if source is not None:
            different.setdefault(source.digest, (student, source))
    return [*different.values()][:READ]


def _page(visit: Visit, group: UnnamedGroup, state: GroupState, status: int = 200) -> Response:
    read = [
        (student, printable("\n\n".join(unit.text.strip() for unit in source.units), MAX_CODE))
        for student, source in _sources(visit, group)
    ]
    return visit.page(
        "groups_one.html",
        status,
        group=group,
        state=state,
        read=read,
        short=one_line,
        path=f"/groups/{group.exercise}/{group.id}",
        title=visit.course.exercise(group.exercise).title,
        addresses={student.id: student.address for student in visit.results.students},
        most=MAX_SHOWN,
    )
