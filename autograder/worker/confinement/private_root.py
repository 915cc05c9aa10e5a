"""Private root folder with only libraries, and giving up the rights of root."""

import os
import signal
import sys
from collections.abc import Sequence

from . import SCRATCH, kernel

NOBODY = 65534


def drop_root(readable: list[str]) -> None:
    """If this process is root and `nobody` can read the libraries, become the user `nobody`.

    Limits on the number of processes do not apply to root. If only root may enter the interpreter's
    folder, the process stays root. It then has no capabilities, and landlock and the filter still
    apply.
    """
    if os.geteuid() != 0 or not all(_open_to_all(path) for path in readable):
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # a change of the user clears both; /proc/self/uid_map would belong to root
    kernel.prctl(kernel.SET_DUMPABLE, 1)
    kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _open_to_all(path: str) -> bool:
    while path != "/":
        mode = os.stat(path).st_mode
        if not mode & 0o005 or (os.path.isdir(path) and not mode & 0o001):
            return False
        path = os.path.dirname(path)
    return True


def enter_user_namespace(proc: int, flags: int) -> None:
    """Enter a new user namespace that keeps all ids. `flags` are further new namespaces.

    `proc` is a descriptor of /proc. The process must have a single thread.
    """
    user, group = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_USER | flags, "user namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        file = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
        os.write(file, text.encode())
        os.close(file)


DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")


def library_paths(libraries: Sequence[str], hidden: Sequence[str] = ()) -> list[str]:
    """Return the existing paths that Python needs to start and to import modules.

    No path lies inside another path. A folder that contains a `hidden` path is replaced by its
    other contents.
    """
    wanted = [*_SYSTEM, sys.prefix, sys.base_prefix, *libraries]
    found: list[str] = []
    for path in sorted({os.path.abspath(path) for path in wanted}, key=len):
        if os.path.exists(path) and not any(_inside(path, other) for other in found):
            found.append(path)
    secret = [os.path.realpath(path) for path in hidden]
    return [part for path in found for part in _without(path, secret)]


def _without(path: str, hidden: Sequence[str]) -> list[str]:
    real = os.path.realpath(path)
    if any(_inside(real, secret) for secret in hidden):
        return []
    if not any(_inside(secret, real) for secret in hidden) or os.path.islink(path):
        return [path]
    parts = sorted(os.listdir(path))
    return [found for part in parts for found in _without(os.path.join(path, part), hidden)]


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def make_private_root(paths: Sequence[str]) -> None:
    """Replace the root folder by a folder with `paths` (read-only), three devices and `SCRATCH`.

    The process needs a mount namespace of its own and the right to mount there.
    """
    kernel.mount("none", "/", "", kernel.RECURSIVE | kernel.PRIVATE)
    new = "/tmp"  # any existing folder: only this process sees the change
    kernel.mount("tmpfs", new, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, "size=1m,mode=755")
    os.mkdir(f"{new}/.old")
    kernel.pivot_root(new, f"{new}/.old")
    os.chdir("/")
    for path in (*DEVICES, *paths):
        _bring(path)
    os.makedirs(SCRATCH)
    kernel.detach("/.old")
    os.rmdir("/.old")
    flags = kernel.BIND | kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES | kernel.REMOUNT
    kernel.mount("none", "/", "", flags)


def _bring(path: str) -> None:
    """Bind a path of the old root to the same path in the new root."""
    old = f"/.old{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(old):
        os.symlink(os.readlink(old), path)
        return
    if os.path.isdir(old):
        os.makedirs(path, exist_ok=True)
    else:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(old, path, "", kernel.BIND | kernel.RECURSIVE)
    if path not in DEVICES:
        kernel.make_read_only(path)


def mount_scratch(megabytes: int) -> None:
    """Mount an empty scratch folder in memory, with limits on its size and number of files."""
    flags = kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_EXEC
    kernel.mount("tmpfs", SCRATCH, "tmpfs", flags, f"size={megabytes}m,nr_inodes=4096,mode=777")


def renew_scratch(megabytes: int) -> None:
    """Replace the previous submission's scratch folder by an empty folder."""
    os.chdir("/")
    kernel.detach(SCRATCH)
    mount_scratch(megabytes)
