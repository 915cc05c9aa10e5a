"""A command in a pseudo-terminal: its screen, and keys to press."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Runs `autograder ARGS` in a terminal of some columns and lines."""

    def __init__(self, *args, cwd, columns=80, lines=40, **env):
        self.said = ""
        self.process, self.line = pty.fork()
        if not self.process:  # pragma: no cover
            os.chdir(cwd)
            kept = {name: os.environ[name] for name in KEPT if name in os.environ}
            command = [sys.executable, "-m", "autograder", *map(str, args)]
            os.execve(sys.executable, command, {**kept, "TERM": "xterm", **env})
        self.resize(columns, lines)

    def resize(self, columns, lines):
        fcntl.ioctl(self.line, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds):
        """Read output for some time; return False at its end."""
        if select.select([self.line], [], [], seconds)[0]:
            try:
                data = os.read(self.line, 65536)
            except OSError:
                return False
            self.said += data.decode("utf-8", "replace")
            return bool(data)
        return True

    @property
    def screen(self):
        """Return the last frame, without colours."""
        frame = self.said.split("\x1b[1;1H")[-1]
        return ESCAPE.sub("", frame).replace("\r\n", "\n")

    def until(self, text, seconds=60):
        """Wait for a text on the screen, and return the screen."""
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"no {text!r} on:\n{self.screen}"
            assert self.read(0.05) or text in self.screen, (
                f"it ended without {text!r}:\n{self.said}"
            )
        return self.screen

    def quiet(self, seconds=0.6):
        """Return the screen after some time, without waiting for a text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read(0.05):
            pass
        return self.screen

    def press(self, keys):
        os.write(self.line, keys.encode())

    def ended(self, seconds=30):
        """Wait for the command's end, and return its exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                self.process = 0
                while self.read(0.05) and select.select([self.line], [], [], 0)[0]:
                    pass
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it did not end:\n{self.screen}")

    def close(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.line)
