"""Test hosts: network namespaces, joined by a bridge in another namespace."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

from distributed.security import Security


def ip(*args):
    done = subprocess.run(["ip", *args], capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr.strip())


class Hosts:
    """A hub and some hosts, each with one address. Use it as a context manager.

    Raises:
        OSError: this machine cannot make network namespaces.
    """

    def __init__(self, folder, names):
        self.folder, self.prefix = folder, f"cl{os.getpid()}"
        self.names = list(names)
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        try:
            hub = self._space("hub")
            ip("-n", hub, "link", "add", "br0", "type", "bridge")
            ip("-n", hub, "link", "set", "br0", "up")
            for number, name in enumerate(self.names, 1):
                space = self._space(name)
                ip("-n", hub, "link", "add", f"v{number}", "type", "veth",
                   "peer", "name", "eth0", "netns", space)  # fmt: skip
                ip("-n", hub, "link", "set", f"v{number}", "master", "br0")
                ip("-n", hub, "link", "set", f"v{number}", "up")
                ip("-n", space, "addr", "add", f"{self.address(name)}/24", "dev", "eth0")
                ip("-n", space, "link", "set", "eth0", "up")
        except (OSError, FileNotFoundError):
            self._stack.close()
            raise
        self._certificates()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _space(self, name):
        space = f"{self.prefix}{name}"
        ip("netns", "add", space)
        self._stack.callback(subprocess.run, ["ip", "netns", "del", space], capture_output=True)
        ip("-n", space, "link", "set", "lo", "up")
        return space

    def _certificates(self):
        made = Security.temporary()
        parts = {"ca": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
        for name, text in parts.items():
            (self.folder / f"{name}.pem").write_text(text)

    @property
    def tls(self):
        names = {"--tls-ca-file": "ca", "--tls-cert": "cert", "--tls-key": "key"}
        return [part for o, name in names.items() for part in (o, f"{self.folder / name}.pem")]

    def address(self, name):
        return f"10.77.0.{self.names.index(name) + 1}"

    def run(self, name, *command, env=None, **options):
        """Start a process on a host; it ends, with all its children, when the hosts are removed."""
        space = f"{self.prefix}{name}"
        process = subprocess.Popen(
            ["ip", "netns", "exec", space, sys.executable, "-m", *map(str, command)],
            start_new_session=True,
            env={**os.environ, **(env or {})},
            **options,
        )
        self._stack.callback(self.kill, process)
        return process

    def kill(self, process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def cut_off(self, name):
        """Drop all packets of a host without any notice."""
        hub = f"{self.prefix}hub"
        ip("-n", hub, "link", "set", f"v{self.names.index(name) + 1}", "nomaster")

    def slow_down(self, process):
        """Let a process run a quarter of the time."""
        over = threading.Event()

        def work():
            while not over.is_set() and process.poll() is None:
                for number, seconds in ((signal.SIGSTOP, 0.6), (signal.SIGCONT, 0.2)):
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                    time.sleep(seconds)

        thread = threading.Thread(target=work)
        thread.start()
        self._stack.callback(thread.join)
        self._stack.callback(over.set)
