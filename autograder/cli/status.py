"""`autograder`, `autograder status` and `autograder next`: the course as a list, nothing graded."""

from datetime import datetime
from pathlib import Path

from autograder.course.course_file import find_course
from autograder.student.listing import course_lines, course_words, next_lines
from autograder.student.progress import by_assignment, course_progress, next_unfinished
from autograder.student.terminal import Terminal, from_here


def run(spoken: bool, course_path: Path | None, whole: bool) -> int:
    """The whole course, or only what comes next."""
    course = find_course(Path.cwd(), named=course_path)
    terminal, now = Terminal(spoken), datetime.now().astimezone()
    found = course_progress(course)
    if whole:
        lines = course_words if spoken else course_lines
        terminal.show(lines(course.title, by_assignment(course, found), now))
        terminal.show([[]])
    following = next_unfinished(course, found)
    where = from_here(following.file) if following and following.file else ""
    terminal.show(next_lines(following, list(found.values()), where, now))
    return 0
