"""The view *Groups*: failures without a name are shown, named, verified and regraded."""

import functools
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.responses import Response

from autograder.course.errors import UserError
from autograder.course.text import one_line, printable
from autograder.desk import naming
from autograder.desk.mistake_file import MistakeText, checked_words
from autograder.desk.naming import ExaminedGroup, NewMistake
from autograder.desk.regrading import MessageChange, last_command, message_changes, regrade_group
from autograder.desk.unnamed_groups import UnnamedGroup
from autograder.desk.view import DeskView, Visit
from autograder.submission.source import Source

READ, MAX_READ = 3, 12  # submissions to show, and to read until these are found
MAX_CODE = 8000
MAX_SHOWN = 50


class GroupState(msgspec.Struct, frozen=True):
    """Progress of a group. `doing` is the job that runs; `trouble` is the last job's error."""

    students: tuple[str, ...] = ()
    doing: str = ""
    trouble: str = ""
    words: MistakeText = MistakeText("", "", ("", "", ""))
    examined: ExaminedGroup | None = None
    mistake: NewMistake | None = None
    changes: tuple[MessageChange, ...] = ()
    difference: str = ""
    applied: bool = False


class GroupJobs:
    """Groups of a desk, and their jobs. Jobs run one at a time, because each uses a whole core."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._one = threading.Lock()
        self._states: dict[tuple[str, str], GroupState] = {}

    def state(self, group: tuple[str, str]) -> GroupState:
        with self._lock:
            return self._states.get(group, GroupState())

    def change(self, group: tuple[str, str], **values: Any) -> None:
        with self._lock:
            before = self._states.get(group, GroupState())
            self._states[group] = msgspec.structs.replace(before, **values)

    def begin(self, group: tuple[str, str], doing: str, work: Callable[[], dict[str, Any]]) -> None:
        """Run `work` in a thread. `work` returns the fields of the group's state to change.

        Raises:
            UserError: a job on this group is running.
        """
        if self.state(group).doing:
            raise UserError("A job on this group is running. Wait until it ends.")
        self.change(group, doing=doing, trouble="")

        def run() -> None:
            with self._one:
                try:
                    self.change(group, doing="", **work())
                except UserError as error:
                    self.change(group, doing="", trouble=str(error))
                except Exception as error:
                    traceback.print_exc()
                    text = (
                        f"The desk failed ({type(error).__name__}). The terminal shows the error."
                    )
                    self.change(group, doing="", trouble=text)

        threading.Thread(target=run, daemon=True).start()


@functools.lru_cache(maxsize=8)
def _jobs(results: Path) -> GroupJobs:  # noqa: ARG001  cached for each desk
    return GroupJobs()


def index(visit: Visit) -> Response:
    groups = visit.results().unnamed
    titles = {name: each.title for name, each in visit.desk.course.exercises.items()}
    most = [group for group in groups if len(group.students) > 1]
    return visit.page(
        "groups_view.html", groups=groups, several=len(most), titles=titles, most=MAX_SHOWN
    )


def show(visit: Visit) -> Response:
    return _page(visit, *_group(visit))


def look(visit: Visit) -> Response:
    """Start a job that computes the group's answers and searches for a step with these answers."""
    group, _ = _group(visit)
    work = _work(visit, group)

    def find() -> dict[str, object]:
        return {"examined": naming.in_new_process(naming.examine, work), "students": group.students}

    _jobs(visit.desk.results).begin(_key(group), "asking for their answers", find)
    return visit.redirect(_path(group))


def give_name(visit: Visit) -> Response:
    """Start a job that writes the mistake into the course if `verify` passes."""
    group, state = _group(visit)
    hints = tuple(visit.field(f"hint{number}") for number in (1, 2, 3))
    words = MistakeText(visit.field("id"), visit.field("finding"), hints)
    _jobs(visit.desk.results).change(_key(group), words=words, trouble="")
    try:
        words, work = checked_words(words), _work(visit, group)
    except UserError as error:
        state = msgspec.structs.replace(state, words=words, trouble=str(error))
        return _page(visit, group, state, 422)

    def write() -> dict[str, object]:
        made = naming.in_new_process(naming.write_mistake, work, words)
        return {"mistake": made, "students": group.students}

    _jobs(visit.desk.results).begin(_key(group), "verifying the course with the new mistake", write)
    return visit.redirect(_path(group))


def regrade(visit: Visit) -> Response:
    """Start a job that regrades the group, or applies the difference that the page has shown."""
    group, state = _group(visit)
    results, shown = visit.desk.results, visit.field("difference")
    name = state.examined.known if state.examined and state.examined.known else state.words.id
    students = state.students or group.students

    def grade() -> dict[str, object]:
        difference = regrade_group(results, group.exercise, students, shown)
        if shown:
            return {"applied": True}
        changes = message_changes(results, group.exercise, students, name)
        return {"changes": tuple(changes), "difference": difference}

    _jobs(visit.desk.results).begin(_key(group), "grading these students", grade)
    return visit.redirect(_path(group))


def _key(group: UnnamedGroup) -> tuple[str, str]:
    return group.exercise, group.id


def _path(group: UnnamedGroup) -> str:
    return f"/groups/{group.exercise}/{group.id}"


def _group(visit: Visit) -> tuple[UnnamedGroup, GroupState]:
    """Return the group in the address. A group keeps its address after it was named."""
    key = visit.part("exercise"), visit.part("group")
    state = _jobs(visit.desk.results).state(key)
    for group in visit.results().unnamed:
        if _key(group) == key:
            return group, state
    if state.students:
        return UnnamedGroup(*key, state.students, (), (), 0.0), state
    raise UserError(
        f"{one_line(key[0], 60)} no longer has a group {one_line(key[1], 20)!r}: the submissions "
        f"or the known mistakes have changed."
    )


def _work(visit: Visit, group: UnnamedGroup) -> naming.ConfinedWork:
    command = last_command(visit.desk.results, group.exercise)
    sources = tuple(source for _, source in _sources(visit, group))
    if not sources:
        raise UserError(
            f"This group's submissions are no longer in {command.submissions}. Put them back, or "
            f"grade them from where they are now."
        )
    secret = (Path(command.submissions), visit.desk.results.resolve())
    root = visit.desk.course.root
    return naming.ConfinedWork(
        root, group.exercise, sources, command.own_code, secret, group=group.id
    )


def _sources(visit: Visit, group: UnnamedGroup) -> list[tuple[str, Source]]:
    """Return up to three submissions of a group with different code."""
    found: dict[str, tuple[str, Source]] = {}
    for student in group.students[:MAX_READ]:
        for sources in visit.results().submissions.sources(student):
            if group.exercise in sources:
                source = sources[group.exercise]
                found.setdefault(source.digest, (student, source))
                break
    return [*found.values()][:READ]


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
        path=_path(group),
        title=visit.desk.course.exercise(group.exercise).title,
        addresses={each.id: each.address for each in visit.results().students},
        most=MAX_SHOWN,
    )


VIEWS = (
    DeskView("/groups", index, "Groups"),
    DeskView("/groups/{exercise}/{group}", show),
    DeskView("/groups/{exercise}/{group}/look", look, changes=True),
    DeskView("/groups/{exercise}/{group}/name", give_name, changes=True),
    DeskView("/groups/{exercise}/{group}/again", regrade, changes=True),
)
