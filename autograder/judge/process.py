"""A worker as a plain child process: start it, exchange one message for another, end it."""

import functools
import json
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

from autograder.course import Limits
from autograder.worker.codec import (
    FRAME,
    MAX_HEADER,
    MAX_PAYLOAD,
    Buffer,
    ProtocolError,
    decode,
    encode,
)
from autograder.worker.messages import Reply, Request

MAX_REQUEST = 16 * 1024 * 1024
START = Path(__file__).resolve().parent.parent / "worker" / "start.py"


class WorkerGone(Exception):
    """The worker is not there any more; the message says how it ended, for the student."""


class DeadlinePassed(WorkerGone):
    """The worker was ended because an answer did not come in time."""


@functools.cache
def library_folders() -> list[str]:
    """The folders of installed libraries, without those that an editable install adds."""
    return [p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"}]


def environment(home: str) -> dict[str, str]:
    """The worker's whole environment: nothing of the judge's own goes along."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    one_thread = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
        "1",
    )
    return {
        **kept,
        **one_thread,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": plot_cache(),
    }


def plot_cache() -> str:
    """Where matplotlib keeps its list of fonts, which takes seconds to make."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autograder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return os.path.join(tempfile.gettempdir(), "autograder-matplotlib")
    return str(folder)


class WorkerProcess:
    """One child process that has loaded nothing yet, or one student's file."""

    def __init__(self, limits: Limits, warm: tuple[str, ...], hidden: tuple[str, ...]) -> None:
        self.folder = tempfile.mkdtemp(prefix="submission-")
        config = {
            "libraries": library_folders(),
            "warm": warm,
            "hidden": hidden,
            "memory_mb": limits.memory_mb,
            "cpu_seconds": int(limits.total_seconds) + 30,
        }
        self.child = subprocess.Popen(
            # not -I: that would ignore PYTHONHASHSEED too
            [sys.executable, "-P", "-s", "-S", str(START), json.dumps(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=environment(self.folder),
            start_new_session=True,
        )
        self._requests: queue.SimpleQueue[list[Buffer] | None] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[Reply | Exception] = queue.SimpleQueue()
        self._call = 0
        threading.Thread(target=self._talk, daemon=True).start()

    def exchange(self, request: Request, seconds: float) -> Reply:
        """Send `request` and wait for its answer.

        Raises:
            DeadlinePassed: no answer within `seconds`; the worker is ended.
            WorkerGone: the worker ended by itself, or sent what is not an answer.
        """
        header, payload, buffers = encode(request, MAX_REQUEST)
        self._call = secrets.randbits(64)
        self._requests.put([FRAME.pack(header, payload, self._call), *buffers])
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.end()
            raise DeadlinePassed("it did not answer in time") from None
        if isinstance(reply, Reply):
            return reply
        self.end()
        raise WorkerGone(self._how_it_ended(reply))

    def _how_it_ended(self, error: Exception) -> str:
        if isinstance(error, ProtocolError):
            return "it wrote into the grader's own channel"
        code = self.child.returncode
        if code is not None and code < 0:
            try:
                return f"it was ended by the signal {signal.Signals(-code).name}"
            except ValueError:
                return f"it was ended by signal {-code}"
        return f"the program ended itself with exit code {code}"

    def end(self) -> None:
        """End the worker and everything it started that stayed in its session."""
        if self.child.returncode is None:
            self._await_exit()
            try:
                os.killpg(self.child.pid, signal.SIGKILL)
            except (AttributeError, OSError):  # no process groups here, or all gone
                self.child.kill()
            self.child.wait()
        self._requests.put(None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _await_exit(self) -> None:
        """If its line is closed the worker is ending: let it, so that its exit code is its own."""
        if self._replies.empty() and self.child.poll() is None:
            return
        until = time.monotonic() + 0.2
        while self.child.poll() is None and time.monotonic() < until:
            time.sleep(0.002)

    def _talk(self) -> None:
        """Write requests and read replies; in a thread, so that a deadline holds for both."""
        source, target = self.child.stdout, self.child.stdin
        assert source is not None and target is not None
        with source, target:
            while (buffers := self._requests.get()) is not None:
                try:
                    for buffer in buffers:
                        target.write(buffer)
                    target.flush()
                    self._replies.put(self._read_reply(source))
                except Exception as error:
                    self._replies.put(error)
                    break

    def _read_reply(self, source: IO[bytes]) -> Reply:
        header, payload, call = FRAME.unpack(_exactly(source, FRAME.size))
        if call != self._call or header > MAX_HEADER or payload > MAX_PAYLOAD:
            raise ProtocolError("not the reply to this request")
        return decode(Reply, _exactly(source, header), _exactly(source, payload))


def _exactly(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


class Launcher:
    """Starts workers, one ahead: the next one gets ready while this one is in use."""

    def __init__(self, warm: tuple[str, ...], hidden: tuple[str, ...], spare: bool = True) -> None:
        self.warm = warm
        self.hidden = hidden
        self.spare = spare
        self._ready: tuple[Limits, WorkerProcess] | None = None

    def prepare(self, limits: Limits) -> None:
        if self._ready is None:
            self._ready = (limits, WorkerProcess(limits, self.warm, self.hidden))

    def take(self, limits: Limits) -> WorkerProcess:
        ready, self._ready = self._ready, None
        if ready is not None and (ready[0] != limits or ready[1].child.poll() is not None):
            ready[1].end()
            ready = None
        worker = ready[1] if ready else WorkerProcess(limits, self.warm, self.hidden)
        if self.spare:
            self.prepare(limits)
        return worker

    def close(self) -> None:
        if self._ready is not None:
            self._ready[1].end()
            self._ready = None
