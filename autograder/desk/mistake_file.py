"""Course files for mistakes that were named on the desk, with code or recorded results."""

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
from autograder.desk.changed_step import STATE, ChangedStep, annotated
from autograder.diagnosis.mistakes import (
    ANSWERS,
    CODE,
    DRAWS,
    NamedAnswers,
    folder_of,
    recorded_answer,
)
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.replay import Replay

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME, MAX_TEXT = 40, 400
MAX_BYTES = 4 * 2**20
WIDTH = 76  # characters of a text on a line
HINTS = 3
MODULE = '''\
"""A mistake in `{exercise}` that was named on the desk; edit it as any other."""

{imports}


{code}

FUNCTION = {function}
NAMED = Family(
    {place},
    (
{hints}    ),
    {{
        {id}: (
            {finding},
            {name},
        ),
    }},
)
'''


class MistakeText(msgspec.Struct, frozen=True):
    """Texts for a group's mistake: name, finding and three hints."""

    id: str
    finding: str
    hints: tuple[str, ...]


def checked_words(words: MistakeText) -> MistakeText:
    if not NAME.fullmatch(words.id) or len(words.id) > MAX_NAME:
        raise UserError(
            f"{one_line(words.id, 60)!r} cannot name a mistake. Use at most {MAX_NAME} lower-case "
            f"letters, digits and hyphens, such as `max-not-subtracted`."
        )
    finding, *hints = (" ".join(text.split()) for text in (words.finding, *words.hints))
    if len(hints) != HINTS or not all((finding, *hints)):
        raise UserError("Enter a message and three hints.")
    if max(map(len, (finding, *hints))) > MAX_TEXT:
        raise UserError(f"A message or a hint has at most {MAX_TEXT} characters.")
    return MistakeText(words.id, finding, tuple(hints))


def code_file(exercise: str, function: str, words: MistakeText, step: ChangedStep) -> str:
    code, name = annotated(ast.parse(step.text), ast.Name("Any")), step.name
    if step.calls:
        code += f"\n\ndef changed({STATE}: Any) -> Any:\n    return {step.calls}\n"
        name = "changed"
    imports = sorted({*step.imports, step.right} - {""})
    modules = [line for line in imports if line.startswith("import ")]
    others = [line for line in imports if line not in modules]
    ours = ["from autograder.author import Family", *others]
    blocks = [block for block in (["from typing import Any"], modules, ours) if block]
    return MODULE.format(
        exercise=exercise,
        imports="\n\n".join("\n".join(block) for block in blocks),
        code=code,
        function=_literal(function, 0),
        place="right" if step.right else _literal(step.step, 4),
        hints="".join(f"        {_literal(hint, 8)},\n" for hint in words.hints),
        id=_literal(words.id, 8),
        finding=_literal(words.finding, 12),
        name=name,
    )


def answers_file(words: MistakeText, replay: Replay, outcomes: Sequence[Outcome]) -> bytes:
    """Return the file of a mistake with recorded results and no code."""
    first, second, third = words.hints
    records = tuple(map(recorded_answer, replay.probes(DRAWS), outcomes))
    named = NamedAnswers(
        words.id, replay.recipe.function, words.finding, (first, second, third), records
    )
    data = msgspec.json.format(msgspec.json.encode(named), indent=1) + b"\n"
    if len(data) > MAX_BYTES:
        raise UserError("This group's answers are too long to be recorded.")
    return data


def file_of(course: Course, exercise: str, name: str, by_code: bool) -> Path:
    folder = folder_of(course.root / course.content.reference / "misconceptions", exercise)
    stem = name.replace("-", "_")
    stem = f"{stem}_" if keyword.iskeyword(stem) else stem
    for suffix in (CODE, ANSWERS):
        if (folder / f"{stem}{suffix}").exists():
            raise UserError(f"{folder / stem}{suffix} exists already. Choose another name.")
    return folder / f"{stem}{CODE if by_code else ANSWERS}"


def _literal(text: str, indent: int) -> str:
    pieces = textwrap.wrap(text, WIDTH, drop_whitespace=False, break_on_hyphens=False) or [""]
    return f"\n{' ' * indent}".join(json.dumps(piece, ensure_ascii=False) for piece in pieces)
