"""Confinement of a process with features of the Linux kernel.

The process confines itself, without a new program (`exec`). The fork server first gets namespaces
and a private root. Then each submission gets, in this order, a new pid namespace, a new scratch
folder, limits, landlock, no new privileges, no capabilities, closed descriptors, and a filter of
system calls.
"""

import struct
from typing import Literal

Level = Literal["full", "landlock", "no-open", "none"]

SCRATCH = "/submission/scratch"  # a confined submission's working folder

# Messages from the fork server to the judge. STATUS contains the exit code of a child, or
# TOO_MANY_TASKS.
READY, STARTED, LOCKED = b"ready", b"started", b"L"
STATUS = struct.Struct("<i")
TOO_MANY_TASKS = -1000

# The layers of each level of confinement, the strongest level first.
LAYERS: dict[Level, tuple[str, ...]] = {
    "full": ("namespaces", "scratch", "pid", "limits", "landlock", "seccomp"),
    "landlock": ("limits", "landlock", "seccomp"),
    "no-open": ("limits", "seccomp", "no-open"),
    "none": (),
}
