"""What `python -m lessons` does."""

from lessons.drawn import LARGEST, figures


def main(arguments: list[str]) -> int:
    """Draw what is out of date, or with `--check` say what is; 1 if something is wrong then."""
    from autograder.course import load_course
    from lessons.drawn import HERE

    course = load_course(HERE.parent / "course.yml")
    stale = 0
    for figure in figures(list(course.exercises)):
        if figure.is_current() and "--all" not in arguments:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"{figure.path} is not in step with the code that draws it")
            continue
        size = figure.write()
        print(f"{figure.path}  {size / 1000:.0f} kB{' too large' if size > LARGEST else ''}")
    if stale and "--check" in arguments:
        print("Run `make figures`, then `autograder build`, and commit what they write.")
        return 1
    return 0
