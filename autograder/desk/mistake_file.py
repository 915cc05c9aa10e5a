"""Course files for mistakes that were named on the desk: their code, or recorded answers."""

import ast
import json
import keyword
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.desk.changed_step import STATE, ChangedStep
from autograder.diagnosis.mistakes import ANSWERS, CODE, NamedAnswers, folder_of, recorded_answer
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Probe

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME, MAX_TEXT = 40, 400
MAX_BYTES = 4 * 2**20
WIDTH = 76  # characters of a text on a line
HINTS = 3


class MistakeText(msgspec.Struct, frozen=True):
    """Name, finding and three hints for a group's mistake."""

    id: str
    finding: str
    hints: tuple[str, ...]


def checked_words(words: MistakeText) -> MistakeText:
    """Return the texts, each of them on one line.

    Raises:
        UserError: a text is missing or too long, or the name is invalid.
    """
    if not NAME.fullmatch(words.id) or len(words.id) > MAX_NAME:
        raise UserError(
            f"{one_line(words.id, 60)!r} cannot name a mistake. Use at most {MAX_NAME} lower-case "
            f"letters, digits and hyphens, such as `max-not-subtracted`."
        )
    texts = [" ".join(text.split()) for text in (words.finding, *words.hints)]
    if len(words.hints) != HINTS or not all(texts):
        raise UserError("Enter a message and three hints.")
    if max(map(len, texts)) > MAX_TEXT:
        raise UserError(f"A message or a hint has at most {MAX_TEXT} characters.")
    return MistakeText(words.id, texts[0], tuple(texts[1:]))


def code_file(exercise: str, function: str, words: MistakeText, step: ChangedStep) -> str:
    """Return the module for a mistake that is a wrong step."""
    changed = _typed(step.text)
    name, place = step.name, _literal(step.step, 4)
    if step.calls:
        changed += f"\n\ndef changed({STATE}: Any) -> Any:\n    return {step.calls}\n"
        name = "changed"
    imports = [line for line in (*step.imports, step.right) if line]
    if step.right:
        place = "right"
    plain = sorted(line for line in imports if line.startswith("import "))
    others = sorted(line for line in imports if not line.startswith("import "))
    hints = "".join(f"        {_literal(hint, 8)},\n" for hint in words.hints)
    finding = _literal(words.finding, 12)
    lines = ["from typing import Any", "", *plain, *[""][: len(plain)]]
    lines += ["from autograder.author import Family", *others]
    head = "\n".join(lines)
    return (
        f'"""A mistake in `{exercise}` that was named on the desk; edit it as any other."""'
        f"\n\n{head}\n\n\n{changed}\n\n"
        f"FUNCTION = {_literal(function, 0)}\n"
        f"NAMED = Family(\n    {place},\n    (\n{hints}    ),\n"
        f"    {{\n        {_literal(words.id, 8)}: (\n            {finding},\n"
        f"            {name},\n        ),\n    }},\n)\n"
    )


def answers_file(
    function: str, words: MistakeText, probes: Sequence[Probe], outcomes: Sequence[Outcome]
) -> bytes:
    """Return the record of a mistake that has recorded answers, but no code.

    Raises:
        UserError: the answers are too long for a record.
    """
    one, two, three = words.hints
    known = tuple(map(recorded_answer, probes, outcomes))
    named = NamedAnswers(words.id, function, words.finding, (one, two, three), known)
    data = msgspec.json.format(msgspec.json.encode(named), indent=1) + b"\n"
    if len(data) > MAX_BYTES:
        raise UserError("This group's answers are too long to be recorded.")
    return data


def file_of(course: Course, exercise: str, name: str, by_code: bool) -> Path:
    """Return the path in the course for a new mistake's file.

    Raises:
        UserError: the name is taken.
    """
    package = course.root / course.content.reference / "misconceptions"
    stem = name.replace("-", "_")
    stem = f"{stem}_" if keyword.iskeyword(stem) else stem
    folder = folder_of(package, exercise)
    for suffix in (CODE, ANSWERS):
        if (folder / f"{stem}{suffix}").exists():
            raise UserError(f"{folder / stem}{suffix} exists already. Choose another name.")
    return folder / f"{stem}{CODE if by_code else ANSWERS}"


def _literal(text: str, indent: int) -> str:
    """Return a text as a Python literal, broken into short lines."""
    pieces = textwrap.wrap(text, WIDTH, drop_whitespace=False, break_on_hyphens=False) or [""]
    return f"\n{' ' * indent}".join(json.dumps(piece, ensure_ascii=False) for piece in pieces)


def _typed(text: str) -> str:
    """Return a function's text with a type annotation for each parameter."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                arg.annotation = ast.Name("Any", ast.Load())
            node.returns = ast.Name("Any", ast.Load())
    return ast.unparse(tree) + "\n"
