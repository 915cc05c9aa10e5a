"""A grader in a process of its own, for a server that lives long.

A process imports checks and reference once: a server that graded itself would miss their changes,
and would mix up two courses, whose packages have one name.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

import msgspec

from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import InternalError
from autograder.submission.source import Source

TRIES_IF_KILLED = 3  # as where a class is graded: so often a submission may be killed from outside
Version = tuple[tuple[str, int, int], ...]


def version_of(course: Course) -> Version:
    """Return a course's files with their times and sizes."""
    files = [path for folder in course.grading for path in sorted(folder.rglob("*.py"))]
    states = ((path, path.stat()) for path in (course.root / FILE_NAME, *files))
    return tuple((str(path), state.st_mtime_ns, state.st_size) for path, state in states)


class GraderProcess:
    """Grades sources of one course, as it is when the first is asked for."""

    def __init__(self, course: Course) -> None:
        command = [sys.executable, "-m", "autograder.nbgrader.grader_process", str(course.root)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def grade(self, source: Source) -> ExerciseReport:
        """Grade a source.

        Raises:
            UserError: the course cannot be used.
            InternalError: the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):  # it has ended; its last answer can still be read
            self._process.stdin.write(msgspec.json.encode(source) + b"\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise InternalError("its process ended")
        if answer.startswith(b'"'):
            raise UserError(msgspec.json.decode(answer, type=str))
        return msgspec.json.decode(answer, type=ExerciseReport)

    def close(self) -> None:
        """End the process; it ends its own."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def serve(root: Path, asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer each line, a source, with a line, its report.

    Submissions see neither the course nor the current folder, nbgrader's course directory.
    """
    from autograder.grading.judge import Judge
    from autograder.sandbox.levels import children_on, choose

    course = load_course(root / FILE_NAME)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        level, hidden = choose(None, own_code=False), (course.root, Path.cwd())
        children = children_on(level, course, hidden, Path(scratch))
        with Judge(
            course, course.content.exercises, children, tries_if_killed=TRIES_IF_KILLED
        ) as judge:
            for line in asked:
                graded = judge.run(msgspec.json.decode(line, type=Source))
                answers.write(graded.encoded + b"\n")
                answers.flush()


def main() -> None:
    """Serve; what is printed on the way must not get among the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(Path(sys.argv[1]), sys.stdin.buffer, answers)
    except Exception as error:
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        answers.write(msgspec.json.encode(one_line(said, 400)) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
