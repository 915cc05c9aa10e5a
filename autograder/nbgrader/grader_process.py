"""Grader in a separate process, for a server that runs for a long time.

A process imports the checks and the reference only once. If the server itself graded, it would not
notice changes of these files, and would mix up two courses with the same package name.
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

TRIES_IF_KILLED = 3  # as in class grading: tries for a submission that something else kills
Version = tuple[tuple[str, int, int], ...]


def version_of(course: Course) -> Version:
    """Return the version of a course: the times and sizes of its files."""
    files = [path for folder in course.grading for path in sorted(folder.rglob("*.py"))]
    states = ((path, path.stat()) for path in (course.root / FILE_NAME, *files))
    return tuple((str(path), state.st_mtime_ns, state.st_size) for path, state in states)


class GraderProcess:
    """Process that grades submissions. The course's version at the first request is used."""

    def __init__(self, course: Course) -> None:
        command = [sys.executable, "-m", "autograder.nbgrader.grader_process", str(course.root)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def grade(self, source: Source) -> ExerciseReport:
        """Grade a submission, and return the report.

        Raises:
            UserError: the course cannot be used.
            InternalError: the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):  # it has ended, but its last answer can be read
            self._process.stdin.write(msgspec.json.encode(source) + b"\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise InternalError("its process ended")
        if answer.startswith(b'"'):
            raise UserError(msgspec.json.decode(answer, type=str))
        return msgspec.json.decode(answer, type=ExerciseReport)

    def close(self) -> None:
        """End the process, which then ends its own children."""
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
    """Read one source per line, and write its report as one line.

    Submissions cannot read the course or the current folder, which is nbgrader's course directory.
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
    """Serve requests. Printed text does not get into the answers."""
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
