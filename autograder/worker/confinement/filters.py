"""What a confined process may ask of the kernel: files by landlock, system calls by seccomp."""

import errno
import os
import struct
import tempfile
from collections.abc import Sequence
from typing import Any

from .root import DEVICES

_CALLS = """
read write readv writev pread64 pwrite64 close fstat stat lstat newfstatat statx lseek mmap munmap
mremap brk madvise mprotect mincore msync rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending
sigaltstack access faccessat faccessat2 pipe pipe2 select pselect6 poll ppoll epoll_create1
epoll_ctl epoll_wait epoll_pwait eventfd2 sched_yield sched_getaffinity nanosleep clock_nanosleep
clock_gettime clock_getres gettimeofday time times getpid gettid getppid getuid geteuid getgid
getegid getresuid getresgid getgroups getpgrp getpgid getsid uname getcwd chdir fchdir readlink
readlinkat open openat
getdents64 mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 chmod fchmod fchmodat
ftruncate truncate fallocate fsync fdatasync flock fcntl dup dup2 dup3 umask getrlimit getrusage
sysinfo getrandom futex set_robust_list get_robust_list rseq set_tid_address exit exit_group
restart_syscall membarrier getcpu alarm getitimer setitimer copy_file_range utimensat statfs fstatfs
""".split()  # noqa: SIM905
_NEED_PATHS = """
open openat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 chmod fchmodat truncate
readlink readlinkat getdents64 utimensat chdir
""".split()  # noqa: SIM905
_CHANGE_FILES = ("chmod", "fchmod", "fchmodat", "utimensat")
_OWN_PID = 0x5EC0DE  # stands in the compiled filter for a process id that is not known yet
_CLONE_THREAD = 0x10000
_SET_NAME, _SET_MEMORY_NAME = 15, 0x53564D41


def compile_filter(own_files: bool, no_open: bool) -> bytes:
    """The system calls that are allowed, as a program for the kernel; all others fail with EPERM.

    Unless `own_files`, the files that can be named are the machine's: their modes and dates, which
    landlock does not guard, cannot be changed. With `no_open` nothing can be opened: for kernels
    without landlock and user namespaces.
    """
    import pyseccomp as seccomp

    rules: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    allow, equal = seccomp.ALLOW, seccomp.EQ
    refused = {*([] if own_files else _CHANGE_FILES), *(_NEED_PATHS if no_open else [])}
    for name in _CALLS:
        if name in refused:
            continue
        try:
            rules.add_rule(allow, name)
        except Exception:  # this processor does not have it
            continue
    # threads, but no processes; clone3 has its flags where a filter cannot see them
    thread = seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)
    rules.add_rule(allow, "clone", thread)
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(seccomp.ERRNO(errno.ENOTTY), "ioctl")  # open() asks whether it is a terminal
    own_limits = (seccomp.Arg(0, equal, 0), seccomp.Arg(2, equal, 0))
    rules.add_rule(allow, "prlimit64", *own_limits)
    for option in (_SET_NAME, _SET_MEMORY_NAME):
        rules.add_rule(allow, "prctl", seccomp.Arg(0, equal, option))
    for name in ("kill", "tgkill"):
        rules.add_rule(allow, name, seccomp.Arg(0, equal, _OWN_PID))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def for_this_process(program: bytes) -> bytes:
    """The filter with this process's own id where it may send signals to itself."""
    return program.replace(struct.pack("<I", _OWN_PID), struct.pack("<I", os.getpid()))


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
