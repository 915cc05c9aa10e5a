"""Rules for a confined process: landlock for files, and seccomp for system calls.

A system call is allowed if it cannot affect another process, a file outside the scratch folder, or
the kernel. The process may change its own memory, threads and descriptors. All other system calls
fail.
"""

import errno
import os
import struct
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from .private_root import DEVICES


class Only(NamedTuple):
    """Condition on a system call's argument: it must equal `value` in the bits of `mask`."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF  # the kernel reads only these bits of a command argument


def _one_of(argument: int, *values: int, mask: int = 0xFFFFFFFF) -> tuple[tuple[Only, ...], ...]:
    return tuple((Only(argument, value, mask),) for value in values)


OWN_PID = 0x5EC0DE  # stands for the process id in the compiled filter, until the id is known

# Calls about the process's own memory, descriptors, clock and signals. Also calls about files by
# name or descriptor: landlock and the private root restrict these.
PLAIN = """
read write readv writev pread64 pwrite64 close fstat stat lstat newfstatat statx lseek munmap mremap
brk mprotect msync rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack access
faccessat faccessat2 pipe select pselect6 poll ppoll sched_yield nanosleep gettimeofday time times
getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp uname
getcwd chdir fchdir readlink readlinkat open openat getdents64 mkdir mkdirat rmdir unlink unlinkat
rename renameat chmod fchmod fchmodat ftruncate truncate dup dup2 dup3 umask getrlimit getrusage
sysinfo getrandom set_robust_list rseq set_tid_address exit exit_group restart_syscall getcpu alarm
getitimer setitimer utimensat
""".split()  # noqa: SIM905

_O_ASYNC, _O_CLOEXEC, _O_NONBLOCK, _O_DIRECT = 0x2000, 0x80000, 0x800, 0x4000
_MAP_HUGE = 0x40000
_PRIVATE, _REALTIME = 128, 256
# CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID and CHILD_CLEARTID: libc's
# flags for a new thread. CLONE_DETACHED, which musl adds, has no effect.
_THREAD, _DETACHED = 0x3D0F00, 0x400000
_WHOLE = 0xFFFFFFFFFFFFFFFF

# A call is allowed if one of its entries matches. An entry matches if all of its conditions hold.
WITH: dict[str, tuple[tuple[Only, ...], ...]] = {
    # Allowed: duplicate a descriptor, get and set flags. Not allowed: to set an owner, a signal or
    # O_ASYNC, with which the kernel would signal any process of the same user; leases, with which
    # other processes cannot open a file; locks on the libraries' files; notifications about
    # folders; seals; the size of pipes.
    "fcntl": (*_one_of(1, 0, 1, 2, 3, 1030), (Only(1, 4), Only(2, 0, _O_ASYNC))),
    # Allowed: new threads. Not allowed: processes, namespaces, another parent, a process that a
    # debugger cannot see.
    "clone": _one_of(0, _THREAD, mask=_WHOLE ^ _DETACHED),
    # Allowed: wait for and wake threads of the same process. Not allowed: to wake another process
    # that maps the same file; priority inheritance, which has been used to attack kernels.
    "futex": (
        *_one_of(1, 0, 9, mask=0xFFFFFFFF ^ _PRIVATE ^ _REALTIME),
        *_one_of(1, *(op | _PRIVATE for op in (1, 3, 4, 5, 10)), mask=0xFFFFFFFF ^ _REALTIME),
    ),
    # Not allowed: huge pages, because a machine has only a few of them.
    "mmap": _one_of(3, 0, mask=_MAP_HUGE),
    # Allowed: advice on the process's own pages. Not allowed: to remove the pages of a file, or to
    # evict, merge or poison pages.
    "madvise": _one_of(2, 0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 18, 25, 102, 103),
    # Allowed: barriers for the process's own threads. Not allowed: barriers that interrupt all
    # processors.
    "membarrier": _one_of(0, 0, 8, 16),
    "prctl": _one_of(0, 15, 0x53564D41),  # names of threads and of memory
    "prlimit64": ((Only(0, 0), Only(2, 0, _WHOLE)),),  # read its own limits
    "kill": _one_of(0, OWN_PID),
    "tgkill": _one_of(0, OWN_PID),
    # Allowed only with the process's own id: other ids would show which processes exist.
    "sched_getaffinity": _one_of(0, 0, OWN_PID),
    "getpgid": _one_of(0, 0),
    "getsid": _one_of(0, 0),
    # Allowed: clocks by number. Not allowed: the processor time of another process, which also
    # counts as a clock.
    **dict.fromkeys(
        ("clock_gettime", "clock_getres", "clock_nanosleep"), _one_of(0, 0, mask=0xFFFFFFF0)
    ),
    # Not allowed: a pipe for notifications from the kernel.
    "pipe2": _one_of(1, 0, mask=0xFFFFFFFF ^ (_O_CLOEXEC | _O_NONBLOCK | _O_DIRECT)),
    "renameat2": _one_of(4, 0, 1),  # not allowed: exchange, whiteout
    "fallocate": _one_of(1, 0),  # not allowed: holes and shared blocks
}

# These calls report success but do not write to the disk, because the files are deleted anyway.
PRETENDED = ("fsync", "fdatasync")

NEED_PATHS = """
open openat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 chmod fchmodat truncate
readlink readlinkat getdents64 utimensat chdir
""".split()  # noqa: SIM905
CHANGE_FILES = ("chmod", "fchmod", "fchmodat", "utimensat")


def compile_filter(own_files: bool, no_open: bool) -> bytes:
    """Return a compiled filter that allows these system calls. All others fail with EPERM.

    Without `own_files`, the filter forbids changes of files' modes and dates, because landlock does
    not protect them. With `no_open`, for kernels without landlock, no file can be opened.
    """
    import pyseccomp as seccomp

    rules: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.ERRNO(errno.EPERM))  # 32-bit and x32 calls
    refused = {*([] if own_files else CHANGE_FILES), *(NEED_PATHS if no_open else [])}
    for name in [name for name in PLAIN if name not in refused]:
        _add(rules, seccomp.ALLOW, name)
    for name, ways in WITH.items():
        for conditions in ways if name not in refused else ():
            args = [seccomp.Arg(c.argument, seccomp.MASKED_EQ, c.mask, c.value) for c in conditions]
            _add(rules, seccomp.ALLOW, name, *args)
    for name in PRETENDED:
        _add(rules, seccomp.ERRNO(0), name)
    # a filter cannot see the flags of clone3; if this call fails, libc uses clone instead
    _add(rules, seccomp.ERRNO(errno.ENOSYS), "clone3")
    _add(rules, seccomp.ERRNO(errno.ENOTTY), "ioctl")  # open() uses it to detect a terminal
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(rules: Any, action: Any, name: str, *conditions: Any) -> None:
    import pyseccomp as seccomp

    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0:
        rules.add_rule(action, name, *conditions)


def for_this_process(program: bytes) -> bytes:
    """Return the filter with this process's id, which allows signals only to this process."""
    return program.replace(struct.pack("<I", OWN_PID), struct.pack("<I", os.getpid()))


def make_ruleset(readable: Sequence[str], writable: Sequence[str]) -> Any:
    """Return a landlock ruleset.

    A new mount on a folder removes the folder's rule, so `writable` contains the parent folder.
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
