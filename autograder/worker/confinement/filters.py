"""What a confined process may ask of the kernel: files by landlock, system calls by seccomp."""

import errno
import os
import struct
import tempfile
from collections.abc import Sequence
from typing import Any

from .calls import CHANGE_FILES, NEED_PATHS, OWN_PID, PLAIN, PRETENDED, WITH
from .root import DEVICES


def compile_filter(own_files: bool, no_open: bool) -> bytes:
    """The system calls that are allowed, as a program for the kernel; all others fail with EPERM.

    Unless `own_files`, the files that can be named are the machine's: their modes and dates, which
    landlock does not guard, cannot be changed. With `no_open` nothing can be opened: for kernels
    without landlock and user namespaces.
    """
    import pyseccomp as seccomp

    rules: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.ERRNO(errno.EPERM))  # 32 bit, x32
    refused = {*([] if own_files else CHANGE_FILES), *(NEED_PATHS if no_open else [])}
    for name in [name for name in PLAIN if name not in refused]:
        _add(rules, seccomp.ALLOW, name)
    for name, ways in WITH.items():
        for conditions in ways if name not in refused else ():
            _add(
                rules,
                seccomp.ALLOW,
                name,
                *(
                    seccomp.Arg(each.argument, seccomp.MASKED_EQ, each.mask, each.value)
                    for each in conditions
                ),
            )
    for name in PRETENDED:
        _add(rules, seccomp.ERRNO(0), name)
    # clone3 has its flags where a filter cannot see them; without it, libc takes clone
    _add(rules, seccomp.ERRNO(errno.ENOSYS), "clone3")
    _add(rules, seccomp.ERRNO(errno.ENOTTY), "ioctl")  # open() asks whether it is a terminal
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(rules: Any, action: Any, name: str, *conditions: Any) -> None:
    """Add a rule, if this processor has the call."""
    import pyseccomp as seccomp

    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0:
        rules.add_rule(action, name, *conditions)


def for_this_process(program: bytes) -> bytes:
    """The filter with this process's own id where it may send signals to itself."""
    return program.replace(struct.pack("<I", OWN_PID), struct.pack("<I", os.getpid()))


def make_ruleset(readable: Sequence[str], writable: Sequence[str]) -> Any:
    """A landlock ruleset; `restrict()` puts it in force.

    A rule follows the folder, not its name: one on a mount point would be lost with each fresh
    mount, so `writable` names the folder above it.
    """
    import landlockpy

    files, scope = landlockpy.AccessFS, landlockpy.Scope
    rules = landlockpy.Ruleset(scoped=scope.ABSTRACT_UNIX_SOCKET | scope.SIGNAL)
    for path in readable:
        folder = os.path.isdir(path)
        rules.allow_path(path, files.READ_FILE | files.READ_DIR if folder else files.READ_FILE)
    for path in DEVICES:
        rules.allow_path(path, files.READ_FILE | files.WRITE_FILE)
    make = files.MAKE_REG | files.MAKE_DIR | files.REMOVE_FILE | files.REMOVE_DIR
    change = files.READ_FILE | files.READ_DIR | files.WRITE_FILE | files.TRUNCATE
    for path in writable:
        rules.allow_path(path, change | make)
    return rules
