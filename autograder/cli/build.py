"""`autograder build`: the students' files from the solutions."""

from pathlib import Path

from autograder.authoring.build import build_exercise, outdated, require_lesson
from autograder.authoring.lint import refuse_authoring_errors
from autograder.course.course_file import find_course
from autograder.course.installation import require


def run(names: tuple[str, ...], check: bool, course_path: Path | None) -> int:
    require("authoring", "autograder build")
    course = find_course(Path.cwd(), named=course_path)
    exercises = [course.exercise(name) for name in names] or list(course.exercises.values())
    refuse_authoring_errors(course, [e for e in exercises if course.checks_file(e.name).is_file()])
    stale = 0
    for exercise in exercises:
        require_lesson(course, exercise)
        files = build_exercise(course, exercise)
        for path, text in files.items():
            if check and outdated(path, text):
                print(f"{path} is not in step with solutions/{exercise.name}.py")
                stale += 1
            elif not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
                print(path)
    if stale:
        print("Run `autograder build`, and commit what it writes.")
    return 1 if stale else 0
