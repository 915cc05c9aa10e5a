"""Library process and fork servers: one import of the libraries, and a forked child per submission.

The library process imports the libraries. To request a fork server, the judge sends it a home
folder and the fork server's control socket (SEQPACKET). The library process forks, and the fork
server confines itself. To request a child, the judge sends the limits and the child's connection on
the control socket. The fork server sends back the child's descriptor, and later the child's exit
code.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from typing import Any

from ..limits import MAX_TASKS, backstop_of_tasks, limit_self, mapped_bytes
from ..preparation import warm_up
from ..serve import Server
from . import (
    LOCKED,
    READY,
    SCRATCH,
    STARTED,
    STATUS,
    TOO_MANY_TASKS,
    kernel,
    private_root,
    system_calls,
)

LINE = 3
MAX_MESSAGE = 4096
COUNT_EVERY = 20  # milliseconds
COUNTED = 5.0  # seconds for which a test process runs, so that its threads can be counted


class Forker:
    """Process that confines itself and forks children. It never loads a submission."""

    def __init__(self, config: dict[str, Any], control: socket.socket, home: str) -> None:
        self.config = config
        self.control = control
        self.home = home
        self.layers = set(config["layers"])
        self.process = os.pidfd_open(os.getpid())
        self.program: bytes | None = None
        self.rules: Any = None
        self.proc = -1
        self.own_pids = -1
        self.max_tasks = 0
        self.counts_tasks = False

    def prepare(self) -> None:
        """Do all steps that are needed only once. Their order is necessary."""
        kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        os.environ.update(HOME=self.home, TMPDIR=self.home)
        self.proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
        if "seccomp" in self.layers:
            self.program = system_calls.compile_filter(
                own_files="namespaces" in self.layers, no_open="no-open" in self.layers
            )
        if "landlock" in self.layers:
            import landlockpy

            landlockpy.abi_version()  # the first call looks for libc, which will not work later
        readable = private_root.library_paths(self.config["libraries"], self.config["secret"])
        if "namespaces" in self.layers:
            self._enter_namespaces(readable)
        elif self.layers:
            private_root.drop_root(readable)
            os.chdir("/")
        else:
            os.chdir(self.home)
        if "landlock" in self.layers:
            own = [os.path.dirname(SCRATCH)] if "namespaces" in self.layers else []
            self.rules = system_calls.make_ruleset(readable, own)
        if self.config["core"] is not None:  # so children do not slow each other
            usable = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {usable[self.config["core"] % len(usable)]})
        tempfile.tempdir = None
        gc.enable()
        if self.layers:
            kernel.prctl(kernel.SET_DUMPABLE, 0)  # no ptrace, no /proc/PID/mem, also in children
        if "limits" in self.layers:
            # in its own namespace, the kernel counts only tasks that this process has started
            self.counts_tasks = "namespaces" not in self.layers and self._can_count_tasks()
            self.max_tasks = backstop_of_tasks() if self.counts_tasks else MAX_TASKS

    def _enter_namespaces(self, readable: list[str]) -> None:
        """Enter new namespaces (mounts …), and continue in a forked first process."""
        as_root = os.geteuid() == 0
        if as_root:  # bind the paths that only root can reach, then become another user
            kernel.unshare(kernel.NEW_MOUNTS, "mounts")
            private_root.make_private_root(readable)
            private_root.drop_root([])
        others = kernel.NEW_MOUNTS | kernel.NEW_PIDS | kernel.NEW_IPC | kernel.NEW_UTS
        private_root.enter_user_namespace(self.proc, others | kernel.NEW_NETWORK)
        if not as_root:
            private_root.make_private_root(readable)
        first = os.fork()
        if first:  # only pass on the exit code; a kill of this process ends the namespace
            self.control.close()
            _, status = os.waitpid(first, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 255)
        kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        socket.sethostname("submission")
        private_root.mount_scratch(self.config["scratch_mb"])
        os.chdir(SCRATCH)
        self.own_pids = os.open("self/ns/pid", os.O_RDONLY, dir_fd=self.proc)

    def serve(self) -> None:
        """Send the own descriptor, and fork a child for each request until there are no more."""
        socket.send_fds(self.control, [READY], [self.process])
        os.close(self.process)
        while True:
            message, descriptors, _, _ = socket.recv_fds(self.control, MAX_MESSAGE, 1)
            if not message:
                return
            (line,) = descriptors
            if "scratch" in self.layers:
                private_root.renew_scratch(self.config["scratch_mb"])
            if "pid" in self.layers:  # all others end with the child, the first process
                kernel.unshare(kernel.NEW_PIDS, "processes")
            child = os.fork()
            if not child:
                self._become_worker(json.loads(message), line)
            if "pid" in self.layers:
                kernel.enter_namespace(self.own_pids, kernel.NEW_PIDS)
            os.close(line)
            handle = os.pidfd_open(child)
            socket.send_fds(self.control, [STARTED], [handle])
            self.control.send(STATUS.pack(self._ended(child, handle)))

    def _ended(self, child: int, handle: int) -> int:
        has_too_many = False
        if self.counts_tasks:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            while not has_too_many and not poll.poll(COUNT_EVERY):
                has_too_many = self._tasks_of(child) > MAX_TASKS
        if has_too_many:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
        _, status = os.waitpid(child, 0)
        if "namespaces" in self.layers and "pid" not in self.layers:
            with contextlib.suppress(ProcessLookupError):  # all other processes of the namespace
                os.kill(-1, signal.SIGKILL)
        return TOO_MANY_TASKS if has_too_many else os.waitstatus_to_exitcode(status)

    def _tasks_of(self, process: int) -> int:
        try:
            return os.stat(f"{process}/task", dir_fd=self.proc).st_nlink - 2
        except OSError:  # the process has just ended, or /proc hides other processes
            return 0

    def _can_count_tasks(self) -> bool:
        child = os.fork()
        if not child:
            time.sleep(COUNTED)
            os._exit(0)
        tasks = self._tasks_of(child)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return tasks == 1

    def _become_worker(self, limits: dict[str, Any], line: int) -> None:
        """Apply the confinement, report success, and run the submission."""
        try:
            os.dup2(line, LINE)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nowhere, descriptor)
            if "namespaces" in self.layers:
                os.chdir(SCRATCH)
                os.environ["MPLCONFIGDIR"] = SCRATCH  # a later import of matplotlib writes there
            if "limits" in self.layers or not self.layers:
                limit_self(limits["memory_mb"], limits["cpu_seconds"], self.max_tasks)
            server = Server(open(LINE, "rb"), open(LINE, "wb"), self.config["hidden"])  # noqa: SIM115
            if self.rules is not None:
                self.rules.restrict()
            if self.layers:
                kernel.prctl(kernel.SET_NO_NEW_PRIVILEGES, 1)
                kernel.drop_capabilities()
            else:
                os.setsid()
            kernel.close_from(LINE + 1)
            if self.program is not None:
                kernel.load_filter(system_calls.for_this_process(self.program))
            os.write(LINE, LOCKED)
            server.serve()
        finally:  # also if a layer failed; then no student code has run
            os._exit(120)


def main(config: dict[str, Any]) -> None:
    sys.argv[:] = sys.orig_argv[:] = ["submission.py"]
    kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # imports need /proc and all files of Python, which a fork server cannot reach later
    warm_up(config["warm"])
    mapped_bytes()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so no ended fork server stays as a zombie
    requests = socket.socket(fileno=config["requests"])
    while True:
        home, descriptors, _, _ = socket.recv_fds(requests, MAX_MESSAGE, 1)
        if not home:
            return
        control = socket.socket(fileno=descriptors[0])
        if not os.fork():
            break
        control.close()
    requests.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    forker = Forker(config, control, home.decode())
    forker.prepare()
    forker.serve()
