"""Variants: each student's own numbers, made from the course's secret and the student's id.

A variant is a key of 16 hexadecimal digits. The course's module `variants.EXERCISE` has a function
`personalised(text, variant)`, which returns the text of the exercise with the variant's numbers.
"""

import hashlib
import hmac
import importlib
import re
import secrets
from pathlib import Path

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.files import read_text
from autograder.course.own_modules import importable
from autograder.course.text import one_line

SECRET = "course.secret"
LINE = re.compile(r'^VARIANT = "([0-9a-f]{16})"', re.MULTILINE)
FEWEST = 16  # smallest number of characters in a secret
TRIED = tuple(hashlib.sha256(bytes([n])).hexdigest()[:16] for n in range(3))


def read_secret(course: Course) -> bytes:
    path = course.root / SECRET
    try:
        secret = path.read_bytes().strip()
    except OSError:
        raise UserError(
            f"{path} is missing, and this course needs it for each student's own numbers. Restore "
            f"the file from the time when the exercises were handed out. For a new course, "
            f"`autograder variants` makes one."
        ) from None
    if len(secret) < FEWEST:
        raise UserError(f"{path} holds no valid secret: expected at least {FEWEST} characters.")
    return secret


def make_secret(course: Course) -> Path | None:
    """Make the course's secret, readable only by its owner."""
    path = course.root / SECRET
    if path.exists():
        return None
    path.touch(0o600)
    path.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    return path


def variant_of(exercise: Exercise, student: str, secret: bytes | None) -> str:
    if exercise.variant == "none" or secret is None:
        return ""
    message = f"{exercise.name}\0{student}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:16]


def stated_variant(text: str) -> str:
    line = LINE.search(text)
    return line[1] if line else ""


def personalised(course: Course, exercise: Exercise, text: str, variant: str) -> str:
    name = f"{course.content.reference}.variants.{exercise.name}"
    path = f"{name.replace('.', '/')}.py"
    try:
        with importable(course):
            personal: str = importlib.import_module(name).personalised(text, variant)
    except ModuleNotFoundError as error:
        raise UserError(
            f"The exercise {exercise.name} has `variant: per-student` in course.yml, but there is "
            f"no {path} to draw its numbers ({error})."
        ) from None
    except Exception as error:
        raise UserError(
            f"{path}: `personalised` stops with {type(error).__name__}: {one_line(str(error), 200)}"
        ) from error
    if stated_variant(personal) != variant:
        raise UserError(
            f'{path}: `personalised` returns a text without the line `VARIANT = "{variant}"`. '
            f"Without this line, students check their work with the numbers of another student."
        )
    return personal


def tried_variants(course: Course, exercise: Exercise) -> dict[str, str]:
    """Return a solution's texts for a few variants. Refuse texts that are all equal."""
    text = read_text(course.solution_file(exercise.name))
    texts = {variant: personalised(course, exercise, text, variant) for variant in TRIED}
    if len({found.replace(variant, "") for variant, found in texts.items()}) == 1:
        path = f"{course.content.reference}/variants/{exercise.name}.py"
        raise UserError(
            f"{path}: `personalised` replaces nothing, so all students have the same numbers."
        )
    return texts
