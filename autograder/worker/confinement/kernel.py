"""Functions for system calls that Python lacks. A failed call raises OSError."""

import ctypes
import os
import platform
import struct

NEW_MOUNTS, NEW_UTS, NEW_IPC = 0x20000, 0x4000000, 0x8000000
NEW_USER, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
DETACH = 2
SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 1, 4, 38

# Numbers of system calls that differ between processors. Numbers above 424 are the same on all.
_NUMBERS = {
    "x86_64": {"seccomp": 317, "capset": 126},
    "aarch64": {"seccomp": 277, "capset": 91},
}.get(platform.machine(), {})
_CLOSE_RANGE, _MOUNT_SETATTR = 436, 442

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
for _name, _types in {
    "mount": [*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p],
    "umount2": [ctypes.c_char_p, ctypes.c_int],
    "pivot_root": [ctypes.c_char_p] * 2,
    "unshare": [ctypes.c_int],
    "setns": [ctypes.c_int, ctypes.c_int],
    "prctl": [ctypes.c_int, *[ctypes.c_ulong] * 4],
}.items():
    if hasattr(_libc, _name):
        getattr(_libc, _name).argtypes = _types


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, value, 0, 0, 0), f"prctl({option})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    done = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, flags, data.encode() or None
    )
    _check(done, f"mount {source} on {target}")


def detach(target: str) -> None:
    _check(_libc.umount2(target.encode(), DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    _check(_libc.pivot_root(new.encode(), old.encode()), "pivot_root")


def unshare(flags: int, what: str) -> None:
    _check(_libc.unshare(flags), f"unshare {what}")


def enter_namespace(descriptor: int, kind: int) -> None:
    _check(_libc.setns(descriptor, kind), "setns")


def make_read_only(path: str) -> None:
    """Make a mount and all mounts below it read-only, without set-uid programs and devices."""
    attributes = struct.pack("QQQQ", READ_ONLY | NO_SUID | NO_DEVICES, 0, 0, 0)
    at_cwd, recursive = -100, 0x8000
    done = _libc.syscall(
        _MOUNT_SETATTR, at_cwd, path.encode(), recursive, attributes, len(attributes)
    )
    _check(done, f"mount_setattr {path}")


def close_from(first: int) -> None:
    _check(_libc.syscall(_CLOSE_RANGE, first, 0xFFFFFFFF, 0), "close_range")


def drop_capabilities() -> None:
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _check(_libc.syscall(_NUMBERS["capset"], header, nothing), "capset")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def load_filter(program: bytes) -> None:
    """Apply a compiled seccomp filter to this process, permanently."""
    code = ctypes.create_string_buffer(program, len(program))
    argument = _Program(len(program) // 8, ctypes.addressof(code))
    set_filter, allow_speculation = 1, 4
    done = _libc.syscall(_NUMBERS["seccomp"], set_filter, allow_speculation, ctypes.byref(argument))
    _check(done, "seccomp")
