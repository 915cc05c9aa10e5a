"""`autograder variants`: each student's own files, with numbers of their own."""

import csv
from pathlib import Path

from autograder.authoring.build import build_exercise
from autograder.authoring.pictures import pictures_of
from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.files import plain_folder, write_atomically
from autograder.course.installation import require
from autograder.course.text import file_name, has_digest, identity, several
from autograder.course.variants import make_secret, read_secret, variant_of

MAX_STUDENTS = 20_000


def run(students: Path, out: Path, course_path: Path | None) -> int:
    require("authoring", "autograder variants")
    course = find_course(Path.cwd(), named=course_path)
    chosen = [each for each in course.exercises.values() if each.variant == "per-student"]
    if not chosen:
        raise UserError(
            f"No exercise of {course.root / 'course.yml'} has `variant: per-student`, so all "
            f"students have the same files: those in exercises/."
        )
    folders = [_folder(student) for student in _read_students(students)]
    made = make_secret(course)
    if made is not None:
        print(f"Made {made}. Keep it, and keep it to yourself: grading needs it.")
    secret = read_secret(course)
    for name in folders:
        variants = {each.name: variant_of(each, identity(name), secret) for each in chosen}
        _write(course, out / name, variants)
    print(
        f"{several(len(folders), 'folder')} in {out}, with {several(2 * len(chosen), 'file')} each."
    )
    return 0


def _write(course: Course, folder: Path, variants: dict[str, str]) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        plain_folder(folder)
        for name, variant in variants.items():
            files = build_exercise(course, course.exercise(name), variant)
            for path, text in files.items():
                write_atomically(folder / path.name, text)
            for shown, data in pictures_of(course, files.values()).items():
                plain_folder((folder / shown).parent)
                write_atomically(folder / shown, data)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.") from None


def _folder(student: str) -> str:
    """A folder with the student's id for its name, where an id can be one; for each another."""
    odd = set(student) & set('/\\:*?"<>|') or student.startswith(".") or has_digest(student)
    safe = not odd and identity(student) == student
    return student if safe else file_name(student)


def _read_students(path: Path) -> list[str]:
    """The ids: a line each, or the first column of a table."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row[0].strip() for row in csv.reader(file) if row and row[0].strip()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} cannot be read as a list of students: {error}.") from None
    names = [name for name in rows if name.lower() not in {"student", "id"}]
    if not names or len(names) > MAX_STUDENTS:
        raise UserError(f"{path} names {len(names)} students; expected one id a line.")
    return list(dict.fromkeys(names))
