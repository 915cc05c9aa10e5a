"""Who the process is: not root, and in a user namespace in which it may confine itself."""

import os

from . import kernel

NOBODY = 65534


def drop_root(readable: list[str]) -> None:
    """Become nobody, if this is root and nobody can still read the libraries.

    Limits on processes do not bind root. Where the interpreter lies in a folder that only root may
    enter, and there is no private root to bring it into, the process stays root without
    capabilities; landlock and the filter hold all the same.
    """
    if os.geteuid() != 0 or not all(_open_to_all(path) for path in readable):
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel.prctl(kernel.SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root


def _open_to_all(path: str) -> bool:
    """Whether everybody may enter all folders on the way to `path`."""
    while path != "/":
        mode = os.stat(path).st_mode
        if not mode & 0o005 or (os.path.isdir(path) and not mode & 0o001):
            return False
        path = os.path.dirname(path)
    return True


def enter_user_namespace(proc: int, flags: int) -> None:
    """A user namespace, and others with it; the own ids are mapped to themselves.

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
