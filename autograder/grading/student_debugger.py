"""Debugger for `pytest --pdb` on a student's file: it stops in the student's line that raised."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from _pytest.debugging import PdbInvoke
from _pytest.nodes import Node
from _pytest.reports import BaseReport

from autograder.course.course_file import Course, Library
from autograder.sandbox.problems import Raised
from autograder.sandbox.spawn import WARM, environment, worker_command
from autograder.submission.source import Source
from autograder.worker.codec import FRAME, encode
from autograder.worker.messages import Request


class StudentDebugger(PdbInvoke):
    """pytest's debugger, changed so that it opens in the frame of the student's code that raised.

    The judge never runs a student's code. So the call is repeated in another process, which has the
    terminal but not the correct answers. If the call cannot be repeated, the debugger opens in the
    frame of the check.
    """

    def __init__(self, course: Course) -> None:
        self.course = course

    def pytest_exception_interact(
        self, node: Node, call: pytest.CallInfo[Any], report: BaseReport
    ) -> None:
        """Open the debugger in the student's frame, or else in the frame of the check."""
        submission = getattr(node, "funcargs", {}).get("submission")
        error = call.excinfo.value if call.excinfo is not None else None
        again = submission.to_debug() if isinstance(error, Raised) and submission else None
        if again is None:
            return super().pytest_exception_interact(node, call, report)
        capture = node.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        source, request = again
        return _debug(source, request, self.course.exercise(node.path.stem).needs)


def _debug(source: Source, call: Request, library: Library) -> None:
    load = Request("load", source.name, units=list(source.units), helpers=source.helpers)
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder, "requests")
        with requests.open("wb") as file:
            for request in (load, call):
                header, payload, buffers = encode(request)
                file.write(b"".join([FRAME.pack(header, payload, 0), *buffers]))
        command = worker_command("debugger", WARM[library], ("reference",), requests=str(requests))
        subprocess.run(command, env=environment(folder), check=False)
