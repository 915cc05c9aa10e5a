"""Submissions of a class: unpacked, sorted by student, and read student by student."""

import codecs
import contextlib
import itertools
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.decisions import Decision
from autograder.classroom.hand_ins import Folder, hand_ins
from autograder.classroom.roster import Roster
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import as_letters, few, one_line, printable, several
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit
from autograder.submission.archive import PathParts, unpack
from autograder.submission.choice import FoundFile, choose
from autograder.submission.code import MAX_PARSED, defines_something, read_code
from autograder.submission.file_names import NameMatch, bare_stem, named_for
from autograder.submission.read import NotPython, UnreadableFile, read_bytes, size_of
from autograder.submission.source import (
    ALSO_READ,
    IN_WORDS,
    MAX_KEPT,
    SUFFIXES,
    CharacterBudget,
    Siblings,
    Source,
    read_source,
)
from autograder.submission.stubs import Stubs, exercises_in
from autograder.submission.walk import FolderFile, FolderWalk
from autograder.worker.messages import Unit

MAX_NOTES = 5
MAX_CODE = 1024 * 1024  # bytes of a file; a larger file is not parsed
MAX_READ = 128 * 1024 * 1024  # bytes that are read of one student
MAX_REQUEST = 5000  # bytes of a regrade request
REQUEST = re.compile("(?i)(?<![a-z])re-?grade(?![a-z])")


class StudentWork(msgspec.Struct):
    student: str
    sources: dict[str, Source] = {}
    unclear: dict[str, str] = {}  # reasons for exercises that a person must look at before grading
    not_loaded: dict[str, str] = {}
    notes: list[str] = []
    several: dict[str, Sequence[FoundFile]] = {}
    chosen: dict[str, str] = {}
    requests: dict[str, str] = {}


def content_of_all(files: Iterable[FoundFile]) -> str:
    """Return a digest of the contents of several files. Names and order do not matter."""
    contents = (file.source.content if file.source else file.trouble for file in files)
    return as_letters(" ".join(sorted(contents)))


def read_work(
    folder: Folder,
    exercises: Iterable[str],
    stubs: Stubs | None = None,
    choices: Iterable[Decision] = (),
) -> StudentWork:
    """Read the files of a student. Problems are stored in the result, not raised.

    With the course's `stubs`, a changed file counts instead of an unchanged file. If the name of a
    file does not name an exercise, the functions in the file decide. `choices` are people's choices
    of one file among several. A choice is valid until one of these files changes.
    """
    work = StudentWork(folder.student, notes=list(folder.notes))
    names = list(exercises)
    if folder.unclear:
        work.unclear = dict.fromkeys(names, folder.unclear)
    if folder.path is None or folder.unclear:
        return work
    reading = _Reading(names, stubs or {})
    with FolderWalk(folder.path, folder.lost) as walk:
        for file in sorted(walk.files(), key=lambda file: not reading.named(file)):
            reading.look_at(file)
        work.notes += [*walk.notes, *reading.notes()]
        work.requests = reading.requests()
    _choose_files(work, reading, list(choices), folder.starters)
    unread = [*folder.unread, *walk.unread]
    if unread:  # work may be in the folders that cannot be read
        absent = [name for name in names if not reading.candidates[name]]
        work.unclear |= dict.fromkeys(absent, " ".join(unread[:MAX_NOTES]))
        work.notes += [] if absent else unread[:MAX_NOTES]
    return work


def _choose_files(
    work: StudentWork, reading: "_Reading", choices: Sequence[Decision], starters: bool
) -> None:
    untouched: list[str] = []
    imported = reading.imported()
    for exercise, candidates in reading.candidates.items():
        if not candidates:
            continue
        choice = choose(exercise, candidates, reading.stubs.get(exercise), imported)
        untouched += choice.untouched
        work.notes += choice.notes
        chosen = choice.chosen
        if choice.several:
            work.several[exercise] = choice.several
            chosen = _chosen_by_a_person(exercise, choice.several, choices)
        if starters and choice.is_untouched and chosen is not None:
            untouched.append(chosen.shown)
        elif chosen is None:
            work.unclear[exercise] = choice.unclear
        elif chosen.source is None:
            problems = work.not_loaded if chosen.not_python else work.unclear
            problems[exercise] = chosen.trouble
        else:
            work.sources[exercise] = chosen.source
            if choice.several:
                work.chosen[exercise] = chosen.source.content
                why = "a person chose it from several files"
                work.notes.append(f"{chosen.shown} was graded for {exercise}: {why}.")
    if untouched:
        work.notes.append(
            f"Left out, since unchanged from the handed-out file: {', '.join(untouched)}."
        )


def _chosen_by_a_person(
    exercise: str, files: Sequence[FoundFile], choices: Sequence[Decision]
) -> FoundFile | None:
    by_content = {file.source.content: file for file in files if file.source is not None}
    among = {"", content_of_all(files)}
    for choice in reversed(choices):
        if choice.exercise == exercise and choice.check in by_content and choice.graded in among:
            return by_content[choice.check]
    return None


class _Reading:
    """Reader of a student's files. It collects the candidate files for each exercise."""

    def __init__(self, names: list[str], stubs: Stubs) -> None:
        self.names = names
        self.stubs = stubs
        self.candidates: dict[str, list[FoundFile]] = {name: [] for name in names}
        self.unknown: list[str] = []
        self.others: list[str] = []  # files for which no exercise is known
        self.unread: dict[str, str] = {}
        self.also: dict[str, str] = {}
        self._asked: dict[str, list[str]] = {}
        self._on_requests: list[str] = []
        self._siblings: dict[Path, Siblings] = {}
        self._room, self._room_for_code = CharacterBudget(), MAX_CODE
        self._left = MAX_READ

    def look_at(self, file: FolderFile) -> None:
        named = self.named(file)
        if file.suffix in IN_WORDS and REQUEST.search(file.path.stem):
            self._take_request(file, named)
        elif file.suffix in (*SUFFIXES, *ALSO_READ):
            self._take_code(file, named)
        else:
            self.unread.update(dict.fromkeys(named, file.shown))
            self.others += [] if named else [file.shown]

    def _take_code(self, file: FolderFile, named: Mapping[str, NameMatch]) -> None:
        candidate = self._candidate(file)
        recognised: Mapping[str, list[str]] = {}  # the exercises that the code defines
        if candidate.source:
            recognised = exercises_in(candidate.source, candidate.code, self.stubs)
        exact = [exercise for exercise, name in named.items() if name == NameMatch.EXACT]
        for exercise, name in named.items():
            if name != NameMatch.WITHIN or not recognised or exercise in recognised:
                self._add(exercise, candidate, name)
        for exercise, defines in recognised.items():
            if exact and exercise not in named:
                self.also.setdefault(exercise, file.shown)
            elif exercise not in named:
                self._add(exercise, candidate, NameMatch.OTHER, defines)
        if not named and not recognised:
            (self.unknown if file.suffix in SUFFIXES else self.others).append(file.shown)

    def _take_request(self, file: FolderFile, named: Mapping[str, NameMatch]) -> None:
        """Read a file such as `regrade_softmax.txt`: Python as code, other text as a request."""
        try:
            if file.trouble:
                raise UnreadableFile(file.trouble)
            data = read_bytes(file.path, MAX_PARSED, whole=False)
        except UnreadableFile as error:
            self._on_requests.append(f"{file.shown}, a regrade request, was left out: {error}")
            return
        is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = data.decode("utf-16" if is_utf_16 else "utf-8-sig", errors="replace")
        if file.suffix in ALSO_READ and (
            bare_stem(file.path) != file.path.stem or defines_something(Unit(file.shown, text))
        ):
            self._on_requests.append(f"{file.shown} was read as code, not as a regrade request.")
            self._take_code(file, named)
            return
        self._on_requests.append(f"{file.shown} was read as a regrade request, not as code.")
        whole = text.strip() if len(named) == 1 else f"{file.shown}: {text.strip()}"
        name = next((name for name in self.names if name in named), "")
        self._asked.setdefault(name, []).append(whole[: MAX_REQUEST + 1])

    def requests(self) -> dict[str, str]:
        first = next(itertools.chain(filter(self.candidates.get, self.names), self.names), "")
        asked: dict[str, list[str]] = {}
        for name, words in sorted(self._asked.items(), reverse=True):
            asked.setdefault(name or first, []).extend(words)
        requests = {}
        for name, words in asked.items():
            data = "\n\n".join(words).encode(errors="replace")
            text = printable(data[:MAX_REQUEST].decode(errors="ignore"), MAX_REQUEST)
            if len(data) > MAX_REQUEST:
                text += f" … (only the first {MAX_REQUEST:,} bytes are kept)"
            requests[name] = text
        return requests

    def imported(self) -> set[Path]:
        return {
            candidate.path.parent / name
            for candidates in self.candidates.values()
            for candidate in candidates
            if candidate.name == NameMatch.EXACT and candidate.source is not None
            for name in candidate.source.helpers
        }

    def named(self, file: FolderFile) -> Mapping[str, NameMatch]:
        matches = named_for(bare_stem(file.path), self.names)
        if file.suffix in SUFFIXES:
            return matches
        return {name: max(clear, NameMatch.NEAR) for name, clear in matches.items()}

    def _add(
        self, exercise: str, candidate: FoundFile, name: NameMatch, defines: Iterable[str] = ()
    ) -> None:
        own = msgspec.structs.replace(candidate, name=name, defines=tuple(defines))
        if own.source is not None:
            own.uses = frozenset(own.source.helpers)
            helpers = {n: text for n, text in own.source.helpers.items() if n != exercise}
            own.source = msgspec.structs.replace(own.source, name=exercise, helpers=helpers)
        self.candidates[exercise].append(own)

    def _candidate(self, file: FolderFile) -> FoundFile:
        candidate = FoundFile(file.path, file.shown, NameMatch.OTHER)
        too_much = f"{file.shown} was not read: the folder's files have over"
        size, folder = size_of(file.path), file.path.parent
        try:
            if file.trouble:
                raise UnreadableFile(file.trouble)
            if size > self._left:
                raise UnreadableFile(f"{too_much} {MAX_READ // 2**20} MiB.")
            self._left -= size
            if folder not in self._siblings:
                self._siblings[folder] = Siblings(folder, self._room)
            source = read_source(file.path, file.path.stem, self._siblings[folder])
            if not self._room.take(len(source.text)):
                raise UnreadableFile(f"{too_much} {MAX_KEPT // 2**20} MiB of code.")
            candidate.source, candidate.code = source, read_code(source.units, self._room_for_code)
            self._room_for_code -= len(source.text)
        except UnreadableFile as error:
            candidate.trouble, candidate.not_python = str(error), isinstance(error, NotPython)
        return candidate

    def notes(self) -> list[str]:
        files = itertools.chain.from_iterable(self.candidates.values())
        helpers = {name for file in files if file.source for name in file.source.helpers}
        unknown = [shown for shown in self.unknown if Path(shown).stem not in helpers]
        notes = [f"{name} was not graded: no exercise has that name." for name in unknown]
        notes = notes[:MAX_NOTES]
        if len(unknown) > MAX_NOTES:
            notes.append(f"{several(len(unknown) - MAX_NOTES, 'more file')} not graded either.")
        absent = [name for name, candidates in self.candidates.items() if not candidates]
        notes += [
            f"{shown} was not graded for {exercise}: it is not a .py or .ipynb file."
            for exercise, shown in self.unread.items()
            if exercise in absent
        ]
        notes += [
            f"No file for {exercise} was handed in, but {shown} defines what {exercise} asks for. "
            f"To have this file graded, hand it in under the name {exercise}."
            for exercise, shown in self.also.items()
            if exercise in absent
        ]
        if self.others and len(absent) == len(self.candidates):
            notes.append(f"Nothing can be graded in {few(self.others, MAX_NOTES)}.")
        notes += self._on_requests[:MAX_NOTES]
        left_out = [name for siblings in self._siblings.values() for name in siblings.left_out]
        if left_out:
            more = " …" if len(left_out) > MAX_NOTES else ""
            notes.append(
                f"{', '.join(left_out[:MAX_NOTES])}{more}: not read, since the folder has too many "
                f"files or over {MAX_KEPT // 2**20} MiB of code."
            )
        return notes


READ_SECONDS = 60  # processor time for one student's folder


class UnreadableFolder(Exception):
    """Error: a student's folder cannot be read."""


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Raise `UnreadableFolder` for any error, so that the error affects only one student.

    A `UserError` is raised unchanged, because its cause is the course or the journal.
    """
    try:
        with cpu_limit(READ_SECONDS):
            yield
    except UserError:
        raise
    except CpuLimitExceeded:
        wrong = f"it took over {READ_SECONDS} seconds"
    except Exception as error:  # a file may cause any error
        wrong = type(error).__name__
    else:
        return
    raise UnreadableFolder(f"The folder cannot be read ({one_line(wrong, 80)}). Look at its files.")


def read_work_guarded(
    folder: Folder, exercises: Collection[str], stubs: Stubs, choices: Sequence[Decision] = ()
) -> StudentWork:
    try:
        with guarded():
            return read_work(folder, exercises, stubs, choices)
    except UnreadableFolder as error:
        return StudentWork(folder.student, unclear=dict.fromkeys(exercises, str(error)))


def ambiguities(
    folders: Iterable[Folder],
    exercises: Collection[str],
    stubs: Stubs,
    choices: Callable[[str], Sequence[Decision]],
) -> Iterator[str]:
    """Yield a note for each folder of several students, and for each exercise with several files.

    Files are read only if their names suggest two files for one exercise.
    """
    for folder in folders:
        student = one_line(folder.student, 60)
        if folder.unclear:
            yield f"{student}: {one_line(folder.unclear, 200)}"
        elif folder.path is not None:
            try:
                with guarded():
                    if not _may_be_several(folder.path, folder.lost, exercises):
                        continue
            except UnreadableFolder:  # it is reported later
                continue
            work = read_work_guarded(folder, exercises, stubs, choices(folder.student))
            for name, files in work.several.items():
                if name not in work.chosen:
                    yield f"{student}: {len(files)} files for {name}"


def _may_be_several(path: Path, lost: Mapping[str, str], exercises: Collection[str]) -> bool:
    seen: set[str] = set()
    with FolderWalk(path, lost) as walk:
        for file in walk.files():
            if file.suffix in (*SUFFIXES, *ALSO_READ):
                names = set(named_for(bare_stem(file.path), exercises)) or {""}
                if names & seen:
                    return True
                seen |= names
    return False


class Opened(msgspec.Struct, frozen=True):
    """Students' folders in order, notes on these folders, and a folder for temporary files."""

    folders: list[Folder]
    notes: list[str]
    scratch: Path
    not_understood: bool = False  # true if the notes name entries without a known student


@contextlib.contextmanager
def opened(
    submissions: Path, course: Course, platform: str | None = None, roster: Path | None = None
) -> Iterator[Opened]:
    """Open the submissions in a folder or in a zip.

    If they or the roster are unreadable, raise a `UserError`, and on a full disk an OSError.
    """
    enrolled = Roster(roster, course) if roster is not None else None
    with tempfile.TemporaryDirectory(prefix="autograder-") as made:
        scratch = Path(made)
        root = submissions
        notes: list[str] = []
        packed: dict[PathParts, str] = {}
        if submissions.is_file():
            root = scratch / "submissions"
            root.mkdir()
            notes, packed = unpack(submissions, root)
        folders, more, not_understood = hand_ins(
            root, course.exercises, enrolled, scratch / "students", packed, platform
        )
        yield Opened(folders, [*notes, *more], scratch, not_understood)
