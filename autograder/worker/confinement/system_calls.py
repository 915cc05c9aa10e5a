"""Rules for a confined process: files by landlock, system calls by seccomp.

Of each call was asked: what can it do to another process, to a file outside, to the kernel? What it
does to its own memory, threads and descriptors is its own matter; what is not named here fails.
"""

import errno
import os
import struct
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from .private_root import DEVICES


class Only(NamedTuple):
    """A condition on an argument: of its bits in `mask`, exactly `value` are set."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF  # the kernel looks at no more of a command


def _one_of(argument: int, *values: int, mask: int = 0xFFFFFFFF) -> tuple[tuple[Only, ...], ...]:
    return tuple((Only(argument, value, mask),) for value in values)


OWN_PID = 0x5EC0DE  # stands in the compiled filter for a process id that is not known yet

# Nothing but the process's own memory, descriptors, clock and signals; and files by their names
# or descriptors, which landlock and the private root guard.
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
# CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID and CHILD_CLEARTID: what a
# thread of libc is made with. CLONE_DETACHED, which musl adds, means nothing.
_THREAD, _DETACHED = 0x3D0F00, 0x400000
_WHOLE = 0xFFFFFFFFFFFFFFFF

# One of the conditions has to hold, or of a tuple of several, all.
WITH: dict[str, tuple[tuple[Only, ...], ...]] = {
    # duplicate, get and set flags. Not: an owner, a signal of one's choice and O_ASYNC, by which
    # the kernel signals any process of the same user; leases, which stop others from opening;
    # locks on the libraries' files; notification of folders; seals; the size of pipes
    "fcntl": (*_one_of(1, 0, 1, 2, 3, 1030), (Only(1, 4), Only(2, 0, _O_ASYNC))),
    # threads of this process. Not: processes, namespaces, another parent, a debugger's blind spot
    "clone": _one_of(0, _THREAD, mask=_WHOLE ^ _DETACHED),
    # waiting, and waking of one's own threads. Not: waking whoever maps the same file; priority
    # inheritance, which has been a way into kernels
    "futex": (
        *_one_of(1, 0, 9, mask=0xFFFFFFFF ^ _PRIVATE ^ _REALTIME),
        *_one_of(1, *(op | _PRIVATE for op in (1, 3, 4, 5, 10)), mask=0xFFFFFFFF ^ _REALTIME),
    ),
    # Not: the machine's huge pages, of which there are few
    "mmap": _one_of(3, 0, mask=_MAP_HUGE),
    # advice on one's own pages. Not: pages of files removed, evicted, merged or declared broken
    "madvise": _one_of(2, 0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 18, 25, 102, 103),
    # for one's own threads. Not: barriers that interrupt all processors
    "membarrier": _one_of(0, 0, 8, 16),
    "prctl": _one_of(0, 15, 0x53564D41),  # names of threads and of memory
    "prlimit64": ((Only(0, 0), Only(2, 0, _WHOLE)),),  # what its own limits are
    "kill": _one_of(0, OWN_PID),
    "tgkill": _one_of(0, OWN_PID),
    # of itself: the same of others tells which processes there are
    "sched_getaffinity": _one_of(0, 0, OWN_PID),
    "getpgid": _one_of(0, 0),
    "getsid": _one_of(0, 0),
    # clocks by number. Not: the processor time of another process, which is a clock too
    **dict.fromkeys(
        ("clock_gettime", "clock_getres", "clock_nanosleep"), _one_of(0, 0, mask=0xFFFFFFF0)
    ),
    # Not: a pipe for notices of the kernel
    "pipe2": _one_of(1, 0, mask=0xFFFFFFFF ^ (_O_CLOEXEC | _O_NONBLOCK | _O_DIRECT)),
    "renameat2": _one_of(4, 0, 1),  # Not: an exchange, a whiteout
    "fallocate": _one_of(1, 0),  # Not: holes and shared blocks
}

# Answered as if done, without the disk's being made to work: what is written is gone anyway.
PRETENDED = ("fsync", "fdatasync")

NEED_PATHS = """
open openat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 chmod fchmodat truncate
readlink readlinkat getdents64 utimensat chdir
""".split()  # noqa: SIM905
CHANGE_FILES = ("chmod", "fchmod", "fchmodat", "utimensat")


def compile_filter(own_files: bool, no_open: bool) -> bytes:
    """Return a program for the kernel that allows these system calls; others fail with EPERM.

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
    """Return the filter with this process's own id where it may send signals to itself."""
    return program.replace(struct.pack("<I", OWN_PID), struct.pack("<I", os.getpid()))


def make_ruleset(readable: Sequence[str], writable: Sequence[str]) -> Any:
    """Return a landlock ruleset; `restrict()` puts it in force.

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
