"""The view *Groups*: shows failures without a name, and lets a person name and regrade them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.responses import Response

from autograder.course.errors import UserError
from autograder.course.text import one_line, printable
from autograder.desk.mistake_file import MistakeText, checked_words
from autograder.desk.naming import ConfinedWork, GroupState, examine, in_new_process, write_mistake
from autograder.desk.regrading import last_command, message_changes, regrade_group
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


def look(visit: Visit) -> Response:
    """Start a job that runs the group's code and searches for a wrong step with its results."""
    group, _ = _group(visit)
    work = _work(visit, group)

    def find() -> dict[str, object]:
        return {"examined": in_new_process(examine, work), "students": tuple(group.students)}

    return _begin(visit, group, "asking for their answers", find)


def give_name(visit: Visit) -> Response:
    """Start a job that writes the mistake into the course if `verify` passes."""
    group, state = _group(visit)
    hints = tuple(visit.field(f"hint{number}") for number in (1, 2, 3))
    words = MistakeText(visit.field("id"), visit.field("finding"), hints)
    visit.desk.jobs.change((group.exercise, group.id), words=words, trouble="")
    try:
        words, work = checked_words(words), _work(visit, group)
    except UserError as error:
        state = msgspec.structs.replace(state, words=words, trouble=str(error))
        return _page(visit, group, state, 422)

    def write() -> dict[str, object]:
        mistake = in_new_process(write_mistake, work, words)
        return {"mistake": mistake, "students": tuple(group.students)}

    return _begin(visit, group, "verifying the course with the new mistake", write)


def regrade(visit: Visit) -> Response:
    """Start a job that regrades the group, or a job that applies the shown changes."""
    group, state = _group(visit)
    results, shown = visit.desk.results, visit.field("difference")
    name = state.examined.known if state.examined and state.examined.known else state.words.id
    students = state.students or tuple(group.students)

    def grade() -> dict[str, object]:
        difference = regrade_group(results, group.exercise, students, shown)
        if shown:
            return {"applied": True}
        changes = message_changes(results, group.exercise, students, name)
        return {"changes": tuple(changes), "difference": difference}

    return _begin(visit, group, "grading these students", grade)


def _begin(
    visit: Visit, group: UnnamedGroup, doing: str, work: Callable[[], dict[str, Any]]
) -> Response:
    visit.desk.jobs.begin((group.exercise, group.id), doing, work)
    return visit.redirect(f"/groups/{group.exercise}/{group.id}")


def _group(visit: Visit) -> tuple[UnnamedGroup, GroupState]:
    exercise, id = visit.part("exercise"), visit.part("group")
    state = visit.desk.jobs.state((exercise, id))
    for group in visit.results.unnamed:
        if (group.exercise, group.id) == (exercise, id):
            return group, state
    if state.students:
        return UnnamedGroup(exercise, id, {student: set() for student in state.students}), state
    raise UserError(
        f"{one_line(exercise, 60)} no longer has a group {one_line(id, 20)!r}: the submissions "
        f"or the known mistakes have changed."
    )


def _work(visit: Visit, group: UnnamedGroup) -> ConfinedWork:
    command = last_command(visit.desk.results, group.exercise)
    sources = tuple(source for _, source in _sources(visit, group))
    if not sources:
        raise UserError(
            f"This group's submissions are no longer in {command.submissions}. Put them back, or "
            f"grade them from where they are now."
        )
    return ConfinedWork(
        visit.course.root,
        group.exercise,
        sources,
        command.own_code,
        secret=(Path(command.submissions), visit.desk.results.resolve()),
        group=group.id,
    )


def _sources(visit: Visit, group: UnnamedGroup) -> list[tuple[str, Source]]:
    different: dict[str, tuple[str, Source]] = {}
    for student in list(group.students)[:MAX_READ]:
        works = visit.results.submissions.works(student)
        source = next(filter(None, (work.sources.get(group.exercise) for _, work in works)), None)
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
