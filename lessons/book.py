"""Command `python -m lessons`."""

from autograder.course.course_file import load_course
from lessons.drawn import HERE, LARGEST, figures
from lessons.page import PAGE, page

STALE = "is not in step with the code that makes it"


def main(arguments: list[str]) -> int:
    """Draw stale figures, or list them with `--check`; return 1 if something is wrong."""
    course = load_course(HERE.parent / "course.yml")
    check = "--check" in arguments
    stale = 0
    for figure in figures(list(course.exercises)):
        if figure.is_current():
            continue
        stale += 1
        if check:
            print(f"{figure.path} {STALE}")
            continue
        size = figure.write()
        print(f"{figure.path}  {size / 1000:.0f} kB{' too large' if size > LARGEST else ''}")
    text = page(course)
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        stale += 1
        if check:
            print(f"{PAGE} {STALE}")
        else:
            PAGE.write_text(text, encoding="utf-8", newline="\n")
            print(PAGE)
    if stale and check:
        print("Run `make figures`, and commit what it writes.")
        return 1
    return 0
