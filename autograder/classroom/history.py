"""`.runs.json`: by which commands a folder of results was made, so that they can be repeated."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.lock import in_use, user
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.store import read_store, timestamp, write_store
from autograder.course.errors import UserError
from autograder.course.files import plain_folder, synced, write_atomically
from autograder.course.text import few
from autograder.report.html import ANSWERS, FOLDER, INDEX
from autograder.report.model import Grader

COMMANDS_FILE = ".runs.json"
MOST = 20
MOST_BYTES = 200_000


class GradeCommand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `grade` was asked for; all paths are whole."""

    submissions: str
    course: str
    exercises: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    platform: str = ""
    roster: str = ""
    seed: int | None = None
    confinement: str = ""
    own_code: bool = False
    anonymous: bool = False

    @property
    def of_all(self) -> bool:
        """Whether it was for every exercise and student."""
        return not self.exercises and not self.students

    def arguments(self, results: Path) -> list[str]:
        """The words of the command line, after `autograder`."""
        named = [f"--exercise={name}" for name in self.exercises]
        named += [f"--student={name}" for name in self.students]
        given = {"from": self.platform, "roster": self.roster, "confinement": self.confinement}
        given |= {"course": self.course, "seed": "" if self.seed is None else str(self.seed)}
        named += [f"--{name}={value}" for name, value in given.items() if value]
        flags = [*["--own-code"][: self.own_code], *["--anonymous"][: self.anonymous]]
        return ["grade", f"--out={results}", *named, *flags, "--", self.submissions]


def remember_command(results: Path, command: GradeCommand) -> None:
    """Keep a command; what was asked for all takes the place of all that was before."""
    before = [] if command.of_all else [each for each in grade_commands(results) if each != command]
    write_atomically(
        results / COMMANDS_FILE, msgspec.json.encode([command, *before][:MOST]) + b"\n"
    )


def grade_commands(results: Path) -> Sequence[GradeCommand]:
    """The commands, the latest first; none where the file is not there or is not of this form."""
    try:
        with (results / COMMANDS_FILE).open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=list[GradeCommand])
    except (OSError, msgspec.MsgspecError):
        return []


# Which results count: those put in force last, in one step, and all that were before them.
#
# A run prepares its results in `proposed/`. To put them in force, that folder is renamed to
# `history/0002.applying`, and its files take the places of those that counted. Whoever opens the
# results finishes what was begun so: at no time is there half of the one and half of the other.


HISTORY, PROPOSED = "history", "proposed"
GRADES, CHANGES, CHANGES_TABLE, VERSION = (
    "grades.csv",
    "changes.jsonl",
    "changes.csv",
    "version.json",
)
APPLYING = ".applying"
KEPT = (GRADES, REPORTS)  # of what counted before
OF_THE_VERSION = {VERSION, CHANGES, CHANGES_TABLE}
OURS = {*KEPT, *OF_THE_VERSION, INDEX, ANSWERS, FOLDER}


class ResultsVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What was put in force: when, by whom, by which grader, and what became of how many.

    `at` is a time in UTC. These are the only times in a folder of results.
    """

    number: int
    at: str
    by: str
    grader: Grader | None = None
    exercises: tuple[str, ...] = ()
    students: int = 0
    changed: int = 0
    why: dict[str, int] = {}


def proposal(results: Path) -> Path:
    """An empty folder for results that do not count yet; what an earlier run left there goes.

    Raises:
        UserError: there is something else in it.
        OSError: it cannot be made.
    """
    folder = results / PROPOSED
    plain_folder(folder)
    others = [entry.name for entry in os.scandir(folder) if not _is_ours(entry.name)]
    if others:
        raise UserError(
            f"{folder} holds what grade did not write there: {few(sorted(others), 5)}. Move it "
            f"away, since the folder is for results that do not count yet."
        )
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def _is_ours(name: str) -> bool:
    return name.removesuffix(".part") in OURS


def put_in_force(results: Path, about: Mapping[str, object]) -> ResultsVersion:
    """Put the proposal in force as the next version, and keep what counted before.

    Raises:
        OSError: there is no room, for example; then what counted still does.
    """
    proposed, history = results / PROPOSED, results / HISTORY
    plain_folder(history)
    last = _highest(history)
    if not last and (results / REPORTS).exists():
        last = 1
        _adopt(results, history / _name(last))
    if last:
        plain_folder(history / _name(last))
        for name in KEPT:
            _keep(results / name, history / _name(last) / name)
    version = msgspec.convert(
        {"number": last + 1, "at": timestamp(), "by": user(), **about}, ResultsVersion
    )
    write_atomically(proposed / VERSION, msgspec.json.encode(version) + b"\n", sync=True)
    for name in (REPORTS, GRADES):
        synced(proposed / name)
    synced(proposed)
    os.rename(proposed, history / f"{_name(last + 1)}{APPLYING}")
    synced(history)
    try:
        settle(results)
    except KeyboardInterrupt:  # what is begun here is never left half
        settle(results)
        raise
    return version


def _adopt(results: Path, folder: Path) -> None:
    """Take results for the first version that were there before there was a history."""
    plain_folder(folder)
    changed = datetime.fromtimestamp((results / REPORTS).stat().st_mtime, UTC)
    first = ResultsVersion(number=1, at=changed.isoformat(timespec="seconds"), by="")
    write_atomically(folder / VERSION, msgspec.json.encode(first) + b"\n", sync=True)


def _keep(source: Path, target: Path) -> None:
    """Give what is about to be replaced a second name; a copy where there is no such thing."""
    if not source.is_file() or source.is_symlink():
        return
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        partial = target.with_name(f"{target.name}.part")
        try:
            shutil.copyfile(source, partial)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        os.replace(partial, target)


def settle(results: Path) -> bool:
    """Finish what was begun to be put in force, if anything; whether there was anything.

    Only for who has the folder to themselves.

    Raises:
        OSError: a file cannot be replaced, since it is open elsewhere for example.
    """
    begun = _begun(results)
    for folder in begun:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name in OF_THE_VERSION or entry.name == FOLDER:
                continue
            os.replace(entry.path, results / entry.name)
        if (folder / FOLDER).is_dir():
            plain_folder(results / FOLDER)
            for page in os.scandir(folder / FOLDER):
                os.replace(page.path, results / FOLDER / page.name)
            (folder / FOLDER).rmdir()
        synced(results)
        _record(results, folder)
        os.rename(folder, folder.with_name(folder.name.removesuffix(APPLYING)))
    return bool(begun)


def _record(results: Path, begun: Path) -> None:
    """Record the version that is put in force in the store, and those that it does not have."""
    number = int(begun.name.removesuffix(APPLYING))
    with write_store(results) as store:
        known = store.versions()
        folders = {**dict(_numbered(results / HISTORY)), number: begun}
        for each, folder in folders.items():
            if each not in known or each == number:
                with contextlib.suppress(FileNotFoundError):
                    store.add_version(each, (folder / VERSION).read_bytes())


def ensure_settled(results: Path) -> None:
    """See that the results are whole before they are read, whatever became of who wrote them.

    Raises:
        UserError: a run is just putting others in force.
    """
    if not _begun(results):
        return
    with in_use(results, "finishing what was begun to be put in force", wait=10):
        try:
            settle(results)
        except OSError as error:
            raise UserError(
                f"New results were begun to be put in force in {results}, and that cannot be "
                f"finished: {error.strerror} ({error.filename}). Close it where it is open, or "
                f"make room, and run the same command again."
            ) from None


def _begun(results: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        found = sorted((results / HISTORY).glob(f"[0-9]*{APPLYING}"))
        return [folder for folder in found if not folder.is_symlink()]
    return []


def _name(number: int) -> str:
    return f"{number:04}"


def _highest(history: Path) -> int:
    return max((number for number, _ in _numbered(history)), default=0)


def _numbered(history: Path) -> list[tuple[int, Path]]:
    """The folders of versions by number."""
    with contextlib.suppress(OSError):
        found = [Path(entry.path) for entry in os.scandir(history) if entry.is_dir()]
        return sorted((int(path.name), path) for path in found if path.name.isdecimal())
    return []


def versions(results: Path) -> list[tuple[ResultsVersion, Path]]:
    """All versions in order, each with its folder.

    Raises:
        UserError: what says of one what it is cannot be read.
    """
    with read_store(results) as store:
        recorded = store.versions()
    folders = dict(_numbered(results / HISTORY))
    found = []
    for number in sorted({*recorded, *folders}):
        path = results / HISTORY / _name(number)
        try:
            data = recorded.get(number) or (path / VERSION).read_bytes()
            found.append((msgspec.json.decode(data, type=ResultsVersion), path))
        except FileNotFoundError:
            found.append((ResultsVersion(number=number, at="", by=""), path))
        except (OSError, msgspec.MsgspecError) as error:
            raise UserError(f"{path / VERSION} cannot be read: {error}.") from None
    return found


def read_changes(path: Path) -> Iterator[Change]:
    """The changes of a version, of whose students nobody else is asked.

    Raises:
        UserError: they cannot be read.
    """
    try:
        with path.open("rb") as file:
            for line in file:
                yield msgspec.json.decode(line, type=Change)
    except FileNotFoundError:
        return
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
