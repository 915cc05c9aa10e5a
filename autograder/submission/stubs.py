"""Stubs: the form in which students get exercises."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from autograder.course.cache import cache_key, files_key
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import few, one_line
from autograder.submission.code import Binding, Code, body_around, read_code
from autograder.submission.read import UnreadableFile, read_text
from autograder.submission.source import MAX_SOURCE, SUFFIXES, Source, from_text, read_source
from autograder.worker.messages import CodePlace

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
TEXT_STUB = "YOUR ANSWER HERE"
"""The text of a notebook's text cell that the student has not answered yet."""
STUB_LINES = ("# YOUR CODE HERE", "raise NotImplementedError()")
UNWRITTEN, EMPTY = "'NotImplementedError'", "Constant(value=None)"
HANDED_OUT = re.compile(r"# Handed out as ([0-9a-f]{12}):")
MAX_SHOWN = 4
MAX_SENTENCE = 300  # in characters of a requirement
_ITEM = re.compile(r"^# *[-*] \*\*([^*\n]+)\*\*(.*(?:\n# {3,}(?![-*] )\S.*)*)", re.MULTILINE)


def strip_solutions(text: str, name: str) -> str:
    """Return the text for students, with stubs in place of the solutions.

    If a marker has no partner, raise a `UserError` that names the marker's line.
    """
    lines: list[str] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        mark = line.strip().removeprefix("# ")
        if mark == BEGIN:
            if begun:
                raise UserError(f"{name}, line {number}: a second {BEGIN} before {END}.")
            begun = number
            indent = line[: len(line) - len(line.lstrip())]
            if line.startswith("# "):
                lines.append(f"# {TEXT_STUB}")
            lines += [indent + stub for stub in STUB_LINES] if indent else []
        elif mark == END:
            if not begun:
                raise UserError(f"{name}, line {number}: {END} without {BEGIN}.")
            begun = 0
        elif not begun:
            lines.append(line)
    if begun:
        raise UserError(f"{name}, line {begun}: {BEGIN} without {END}.")
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))


class Stub(msgspec.Struct):
    """Form in which students get an exercise."""

    code: Code
    asked: list[str]  # names that students define
    answers: dict[str, str]  # texts to replace by answers in words
    handed_out: set[str]  # syntax of all handed-out definitions

    def left_to_write(self) -> int:
        return len(self.asked) + sum(TEXT_STUB in text for text in self.answers.values())

    def written(self, code: Code) -> list[str]:
        there = [(name, code.names[name]) for name in self.asked if name in code.names]
        return [n for n, bound in there if not bound.hollow and bound.tree not in self.handed_out]

    def answered(self, answers: Mapping[str, str]) -> bool:
        return any(answers.get(name) not in {None, "", text} for name, text in self.answers.items())

    def is_untouched(self, code: Code, answers: Mapping[str, str]) -> bool:
        if code.broken or code.open or self.answered(answers):
            return False
        if any(name in code.names for name in self.asked):
            return not self.written(code)
        return set(code.statements) <= set(self.code.statements)


Stubs = Mapping[str, Stub]


def read_stubs(course: Course) -> Stubs:
    """Return the stubs of a course by exercise. Unreadable stubs are left out."""
    by_exercise: dict[str, Stub] = {}
    handed_out: set[str] = set()
    for name in course.exercises:
        stubs = []
        for source in _handed_out(course, name):
            code = read_code(source.units)
            asked = [name for name, bound in code.names.items() if _is_asked(bound)]
            stubs.append(Stub(code, asked, source.answers, handed_out))
        if stubs:  # the student may have worked in the other file, so less is left to write
            by_exercise[name] = stub = max(stubs, key=Stub.left_to_write)
            handed_out |= {bound.tree for bound in stub.code.names.values()}
    return by_exercise


def _handed_out(course: Course, name: str) -> list[Source]:
    solution = course.solution_file(name)
    try:
        text = strip_solutions(read_text(solution, MAX_SOURCE), str(solution))
        return [from_text(text, name, solution.name)]
    except (UnreadableFile, UserError):
        sources = []
        for suffix in SUFFIXES:
            with contextlib.suppress(UnreadableFile):
                sources.append(read_source(course.handed_out / f"{name}{suffix}", name))
        return sources


def has_own_code(course: Course, source: Source, place: CodePlace) -> bool:
    given = {
        statement
        for old in _handed_out(course, source.name)
        for statement in body_around(old.units)
    }
    units = [unit for unit in source.units if unit.label == place.label]
    try:
        return not body_around(units, place.line) <= given
    except (RecursionError, MemoryError):
        return True


def _is_asked(bound: Binding) -> bool:
    """Return True if the student has to write this function, class or value."""
    if bound.tree.startswith(("Assign(", "AnnAssign(")):
        return EMPTY in bound.tree
    return UNWRITTEN in bound.tree


def exercises_in(source: Source, code: Code, stubs: Stubs) -> dict[str, list[str]]:
    """Return the exercises to which a file belongs, with the names of each that it defines.

    A file belongs to an exercise if it defines all requested names, or more than half of them.
    Imported names do not count.
    """
    defined = {name for name, bound in code.names.items() if not bound.is_import}
    whole: dict[str, list[str]] = {}
    partly: dict[str, list[str]] = {}
    for exercise, stub in stubs.items():
        there = [name for name in stub.asked if name in defined]
        if stub.answered(source.answers):
            whole[exercise] = sorted(source.answers.keys() & stub.answers.keys())
        elif not stub.written(code):
            continue
        elif len(there) == len(stub.asked):
            whole[exercise] = there
        elif 2 * len(there) > len(stub.asked):
            partly[exercise] = there
    claimed = {name for names in whole.values() for name in names}
    return whole | {e: names for e, names in partly.items() if not claimed & set(names)}


def course_digest(course: Course) -> str:
    folders = [*course.grading, course.solutions]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    # only the exercises of course.yml: deadlines may change later
    return cache_key(course.content.exercises, files_key(course.root, files))[:12]


def release_mark(digest: str) -> str:
    """Return the line that names the release in a handed-out file."""
    return f"# Handed out as {digest}: leave this line as it is."


def older_releases(course: Course, sources: Iterable[Source]) -> Iterator[str]:
    labels_of: dict[str, list[str]] = {}
    for source in sources:
        if mark := HANDED_OUT.search(source.text):
            labels_of.setdefault(mark[1], []).append(source.label)
    if labels_of:
        labels_of.pop(course_digest(course), None)
    for digest, labels in labels_of.items():
        verb, object_ = ("is", "it") if len(labels) == 1 else ("are", "them")
        yield (
            f"{few(labels, MAX_SHOWN)} {verb} from another release of the course ({digest}). The "
            f"current course grades {object_}."
        )


class Requirement(NamedTuple):
    """One requirement: name in lower case, line number and text."""

    name: str
    line: int
    sentence: str


def requirements_in(text: str) -> list[Requirement]:
    requirements = []
    for item in _ITEM.finditer(text):
        sentence = one_line(item[2].replace("\n#", " ").lstrip(".: "), MAX_SENTENCE)
        line = text.count("\n", 0, item.start()) + 1
        requirements.append(Requirement(item[1].strip(".: ").casefold(), line, sentence))
    return requirements
