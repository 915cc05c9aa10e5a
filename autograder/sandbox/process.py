"""Messages to and from a worker, which must reply to each request within a deadline."""

import re
import secrets
import signal
import time
from collections.abc import Callable, Sequence

from autograder.sandbox.child import Child
from autograder.sandbox.connection import Deadline
from autograder.sandbox.problems import Crashed
from autograder.worker.codec import FRAME, MAX_HEADER, MAX_PAYLOAD, Handle, decode, encode
from autograder.worker.confinement import TOO_MANY_TASKS
from autograder.worker.limits import MAX_TASKS
from autograder.worker.messages import Callback, Reply, Request
from autograder.worker.values import ProtocolError

MAX_REQUEST = 16 * 1024 * 1024
MAX_ASKS = 100_000  # questions in one call; a student's test may make thousands of calls
MAX_STACK = 32 * 1024
FRAME_OF_STACK = re.compile(r'^  File "([^"\n]{1,80})", line (\d{1,7}) in ', re.MULTILINE)
SERVING = b" in serve\n"  # the outermost function of every worker process

AnswerTo = Callable[[Callback], Request]


class WorkerGone(Exception):
    """Exception: the worker process has ended."""

    def __init__(self, how: str, code: int | None = None) -> None:
        super().__init__(how)
        self.code = code


class DeadlinePassed(WorkerGone):
    """Exception: the worker was killed because it did not reply in time.

    `lines` are the lines that the worker was running, innermost first. Each is a pair: a file name
    and a line number.
    """

    def __init__(self, how: str, lines: Sequence[tuple[str, int]] = ()) -> None:
        super().__init__(how)
        self.lines = lines


class WorkerProcess:
    """Child process for one student's file."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.has_ended = False

    def exchange(
        self, request: Request, deadline: Deadline, answer: AnswerTo | None = None
    ) -> Reply:
        """Send a request and return the reply, or raise `WorkerGone` if the process has ended.

        If the student's code calls a function of the course, the function `answer` carries out the
        call. This time does not count as the student's time.
        """
        try:
            reply = self._send_and_receive(request, deadline)
            for _ in range(MAX_ASKS):
                if reply.ask is None:
                    return reply
                if answer is None:
                    break
                start = time.monotonic()
                answered = answer(reply.ask)
                deadline.excuse(time.monotonic() - start)
                reply = self._send_and_receive(answered, deadline)
            raise ProtocolError("a question that nobody has to answer")
        except TimeoutError:
            self.child.ask_for_stack()
            stack = self.child.line.read_last_words(MAX_STACK, SERVING).decode("ascii", "replace")
            self.end()
            lines = [(file, int(line)) for file, line in re.findall(FRAME_OF_STACK, stack)]
            raise DeadlinePassed("it did not answer in time", lines) from None
        except (OSError, EOFError, ProtocolError) as error:
            code = self.child.wait(0.5)  # it probably ends by itself now
            self.end()
            raise WorkerGone(_how_it_ended(error, code), code) from None

    def _send_and_receive(self, request: Request, deadline: Deadline) -> Reply:
        line = self.child.line
        header, payload, buffers = encode(request, MAX_REQUEST)
        call = secrets.randbits(64)
        line.send([FRAME.pack(header, payload, call), *buffers], deadline)
        header, payload, answered = FRAME.unpack(line.receive(FRAME.size, deadline))
        if answered != call or header > MAX_HEADER or payload > MAX_PAYLOAD:
            raise ProtocolError("not the reply to this request")
        return decode(Reply, line.receive(header, deadline), line.receive(payload, deadline))

    def end(self) -> None:
        self.has_ended = True
        self.child.end()


def _how_it_ended(error: Exception, code: int | None) -> str:
    if isinstance(error, ProtocolError):
        return "it wrote into the grader's own channel"
    if code == TOO_MANY_TASKS:
        return f"it had more than {MAX_TASKS} threads at once"
    if code is not None and code < 0:
        try:
            return f"it was ended by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"it was ended by signal {-code}"
    return f"the program ended itself with exit code {code}"


def handle_in(reply: Reply) -> Handle:
    """Return the handle of the object that the worker kept. Without one, raise Crashed."""
    if not isinstance(reply.value, Handle) or reply.value.number < 0:
        raise Crashed("foreign_answer")
    return reply.value
