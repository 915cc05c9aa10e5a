"""What becomes of processes."""

import time
from pathlib import Path

from autograder.sandbox.fork_server import ForkServers


def library_processes(servers: ForkServers) -> list[int]:
    return [libraries.process.pid for libraries in servers.libraries.values()]


def has_ended(process: int) -> bool:
    """Return whether a process is gone, or only its parent has to collect it, within seconds."""
    status = Path(f"/proc/{process}/status")
    for _ in range(100):
        try:
            if "State:\tZ" in status.read_text(encoding="utf-8"):
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False
