"""`autograder new`: a course, or an exercise, to begin with."""

import shlex
from pathlib import Path

from autograder.authoring.new import new_course, new_exercise
from autograder.course.course_file import Library, find_course
from autograder.course.installation import require


def course(folder: Path, title: str, exercise: str, needs: Library) -> int:
    require("authoring", "autograder new")
    made, written = new_course(folder, title, exercise, needs)
    _say(written)
    print(f"A course with one exercise. Next: cd {shlex.quote(str(folder))}")
    _next(exercise, made.content.solutions)
    return 0


def exercise(name: str, title: str, needs: Library, course_path: Path | None) -> int:
    require("authoring", "autograder new")
    course = find_course(Path.cwd(), named=course_path)
    _say(new_exercise(course, name, title, needs))
    _next(name, course.content.solutions)
    return 0


def _say(written: list[Path]) -> None:
    for path in written:
        print(path)


def _next(name: str, solutions: str) -> None:
    print(f"  autograder verify {name}              the grader graded: it holds as it is")
    print(f"  autograder check {solutions}/{name}.py   what a student with that file sees")
    print("Then put your own in its place; the kit's docs/authors.md goes through it step by step.")
