"""Bounded attacks of a hostile submission, each as the body of a function.

An attack returns True only if it did something forbidden, or returns data that it should not be
able to read. `SECRET` is a file of the judge's, `JUDGE` its process id, and `OTHER` the text of a
file that an earlier submission left in its working folder.
"""

import textwrap

ATTACKS: dict[str, str] = {}


def attack(name: str, body: str) -> None:
    assert name not in ATTACKS
    ATTACKS[name] = textwrap.dedent(body).strip()


# Read files of others: each way to read, of each place.
READERS = {
    "open": "return open(PATH, 'rb').read()",
    "os.open": "d = os.open(PATH, os.O_RDONLY); return os.read(d, 4096)",
    "openat": "d = os.open('/', os.O_RDONLY); return os.read(os.open(PATH[1:], 0, dir_fd=d), 4096)",
    "numpy": "import numpy as np; return np.fromfile(PATH, 'u1').tobytes()",
    "memmap": "import numpy as np; return bytes(np.memmap(PATH, 'u1', 'r')[:4096])",
    "linecache": "import linecache; return ''.join(linecache.getlines(PATH)).encode()",
    "libc": """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.fopen.restype = ctypes.c_void_p
        buffer = ctypes.create_string_buffer(4096)
        file = libc.fopen(PATH.encode(), b"r")
        return buffer.raw if file and libc.fread(buffer, 1, 4096, ctypes.c_void_p(file)) else b""
    """,
    "symlink": "os.symlink(PATH, 'link'); return open('link', 'rb').read()",
    "hard link": "os.link(PATH, 'hard'); return open('hard', 'rb').read()",
    "rename": "os.rename(PATH, 'mine'); return open('mine', 'rb').read()",
    "dot dot": "return open('../' * 12 + PATH[1:], 'rb').read()",
}
PLACES = {
    "a secret": "SECRET",
    "the reference": "REFERENCE",
    "the checks": "CHECKS",
    "passwords": "'/etc/passwd'",
}
for _way, _body in READERS.items():
    for _place, _path in PLACES.items():
        _code = textwrap.dedent(_body).strip().replace("PATH", _path)
        attack(f"read {_place} by {_way}", _code)

for _name, _path in {
    "the judge's environment": "f'/proc/{JUDGE}/environ'",
    "its own environment file": "'/proc/self/environ'",
    "the judge's memory": "f'/proc/{JUDGE}/mem'",
    "the judge's descriptors": "f'/proc/{JUDGE}/fd/0'",
    "the parent's root": "f'/proc/{os.getppid()}/root' + SECRET",
    "its own root": "'/proc/self/root' + SECRET",
    "the kernel's log": "'/dev/kmsg'",
    "the raw disk": "'/dev/vda'",
    "memory": "'/dev/mem'",
    "the host's name file": "'/etc/hostname'",
    "root's keys": "'/root/.ssh/id_rsa'",
    "the shell's history": "'/root/.bash_history'",
    "the container's token": "'/var/run/secrets/kubernetes.io/serviceaccount/token'",
}.items():
    attack(f"read {_name}", f"return len(open({_path}, 'rb').read(1)) > 0")

attack("find a secret in the environment", "return 'hunter2' in str(dict(os.environ))")
attack("list the root folder", "return len(os.listdir('/')) > 0")
attack("list the home of root", "return os.listdir('/root') != []")
attack("list all processes", "return any(name.isdigit() for name in os.listdir('/proc'))")
attack("detect a file of the host", "return os.stat('/etc/passwd').st_size > 0")
attack("see the host's name", "return os.uname().nodename == HOST")
attack("import the reference", "import reference; return True")
attack("import the checks", "import reference.checks; return True")
attack("import the judge", "from autograder.grading import session; return True")
attack(
    "find the reference in memory",
    """
    import gc
    return any(getattr(x, "__module__", "") in ("reference", "reference.attention")
               for x in gc.get_objects())
""",
)
attack(
    "find the reference up the stack",
    """
    import sys
    frame = sys._getframe()
    while frame:
        if "reference" in frame.f_globals:
            return True
        frame = frame.f_back
    return False
""",
)
attack("read another submission's file", "return open('left.txt').read() == OTHER")

# Write outside its own folder.
for _name, _path in {
    "beside the secret": "SECRET + '.new'",
    "over the secret": "SECRET",
    "over the reference": "REFERENCE",
    "into /tmp": "'/tmp/left-by-a-submission'",
    "into the libraries": "os.path.join(os.path.dirname(os.__file__), 'left.py')",
    "into numpy": "os.path.join(os.path.dirname(__import__('numpy').__file__), 'left.py')",
    "into shared memory": "'/dev/shm/left'",
    "into the kernel's settings": "'/proc/sys/kernel/hostname'",
}.items():
    attack(f"write {_name}", f"open({_path}, 'a').write('x'); return True")
attack("remove the secret", "os.remove(SECRET); return True")
attack("change the secret's mode", "os.chmod(SECRET, 0o777); return True")
attack("truncate the secret", "os.truncate(SECRET, 0); return True")
attack("remove a library", "os.remove(__import__('numpy').__file__); return True")

# Other processes.
attack("fork", "child = os.fork()\nif not child: os._exit(0)\nreturn child > 0")
attack(
    "fork by libc",
    "import ctypes; c = ctypes.CDLL(None).fork()\nif c == 0: os._exit(0)\nreturn c > 0",
)
attack(
    "vfork by number",
    """
    import ctypes
    child = ctypes.CDLL(None).syscall(57)
    if child == 0:
        os._exit(0)
    return child > 0
""",
)
attack(
    "spawn a shell",
    "import subprocess; return subprocess.run(['/bin/sh', '-c', 'exit 0']).returncode == 0",
)
attack("os.system", "return os.system('true') == 0")
attack("exec", "os.execv('/bin/true', ['true'])")
attack(
    "exec a file in memory",
    """
    import ctypes
    d = os.memfd_create("x")
    os.write(d, open("/bin/true", "rb").read())
    os.execve(d, ["x"], {})
""",
)
attack("posix_spawn", "return os.posix_spawn('/bin/true', ['true'], {}) > 0")
attack(
    "multiprocessing",
    "import multiprocessing as m; p = m.get_context('fork').Process(target=int); p.start(); return True",
)
attack(
    "leave a process running",
    """
    child = os.fork()
    if not child:
        os.setsid()
        import time
        time.sleep(30)
        os._exit(0)
    return True
""",
)
for _name, _signal in {"kill": 9, "stop": 19, "probe": 0}.items():
    attack(f"{_name} the judge", f"os.kill(JUDGE, {_signal}); return True")
    attack(f"{_name} the parent", f"os.kill(os.getppid(), {_signal}); return os.getppid() != 0")
attack("kill everything", "os.kill(-1, 9); return True")
attack("kill the group", "os.killpg(0, 0); return True")
attack("trace the judge", "import ctypes; return ctypes.CDLL(None).ptrace(16, JUDGE, 0, 0) == 0")
attack(
    "trace the parent",
    "import ctypes; return ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0",
)
attack(
    "read the parent's memory",
    """
    import ctypes
    buffer = ctypes.create_string_buffer(8)
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    here = Part(ctypes.addressof(buffer), 8)
    there = Part(id(None), 8)
    call = ctypes.CDLL(None).process_vm_readv
    return call(os.getppid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0
""",
)
attack("slow other processes down", "os.setpriority(0, 0, -5); return True")
attack(
    "raise its own limits",
    "import resource as r; r.setrlimit(r.RLIMIT_CPU, (9999, 9999)); return True",
)

# Signals sent indirectly: the kernel sends them to the owner of a descriptor. SIGURG and 0 do no
# harm if they are delivered.
OWNER = """
    import fcntl
    a, b = os.pipe()
    SET
    return True
"""
for _name, _set in {
    "send a pipe's signals to the judge": "fcntl.fcntl(a, fcntl.F_SETOWN, JUDGE)",
    "send a pipe's signals to the parent": "fcntl.fcntl(a, fcntl.F_SETOWN, os.getppid() or JUDGE)",
    "send a pipe's signals to the judge's group": "fcntl.fcntl(a, fcntl.F_SETOWN, -os.getpgid(0) or -JUDGE)",
    "send a pipe's signals to a thread of the judge": (
        "import struct; fcntl.fcntl(a, 15, struct.pack('ii', 0, JUDGE))"
    ),
    "send a pipe's signals to the judge by F_SETOWN_EX": (
        "import struct; fcntl.fcntl(a, 15, struct.pack('ii', 1, JUDGE))"
    ),
    "read who gets a pipe's signals": "fcntl.fcntl(a, fcntl.F_GETOWN)",
    "read who gets a pipe's signals by F_GETOWN_EX": "fcntl.fcntl(a, 16, bytes(8))",
    "choose a pipe's signal": "fcntl.fcntl(a, 10, 23)",
    "request a signal from a pipe": "fcntl.fcntl(a, fcntl.F_SETFL, fcntl.FASYNC)",
    "request a signal from the line": "fcntl.fcntl(3, fcntl.F_SETFL, fcntl.FASYNC)",
    "send the line's signals to the judge": "fcntl.fcntl(3, fcntl.F_SETOWN, JUDGE)",
    "request a signal from a pipe by ioctl": "fcntl.ioctl(a, 0x5452, b'\\1\\0\\0\\0')",
    "send the line's signals to the judge by ioctl": "import struct; fcntl.ioctl(3, 0x8902, struct.pack('i', JUDGE))",
    "watch a folder for changes": (
        "d = os.open('/usr', os.O_RDONLY); fcntl.fcntl(d, fcntl.F_NOTIFY, 0x3f)"
    ),
    "take a lease on a library": (
        "d = os.open(os.__file__, os.O_RDONLY); fcntl.fcntl(d, fcntl.F_SETLEASE, fcntl.F_RDLCK)"
    ),
    "take a lease on its own file": (
        "d = os.open('leased', os.O_RDONLY | os.O_CREAT)\n"
        "    fcntl.fcntl(d, fcntl.F_SETLEASE, fcntl.F_WRLCK)"
    ),
    "lock a library exclusively": (
        "d = os.open(os.__file__, os.O_RDONLY); fcntl.flock(d, fcntl.LOCK_EX)"
    ),
    "take a shared lock on a library": (
        "d = os.open(os.__file__, os.O_RDONLY); fcntl.flock(d, fcntl.LOCK_SH | fcntl.LOCK_NB)"
    ),
    "lock a part of a library": (
        "d = os.open(os.__file__, os.O_RDONLY); fcntl.lockf(d, fcntl.LOCK_SH | fcntl.LOCK_NB)"
    ),
    "lock an open file": (
        "import struct; d = os.open('/dev/null', 2)\n"
        "    fcntl.fcntl(d, 37, struct.pack('hhlli4x', 0, 0, 0, 0, 0))"
    ),
    "seal a file": "fcntl.fcntl(b, 1033, 1)",
    "make a pipe of a megabyte": "fcntl.fcntl(a, 1031, 2**20)",
    "set a file's write-life hint": "fcntl.fcntl(a, 1036, bytes(8))",
    "make a pipe for kernel notifications": "os.pipe2(0x80)",
}.items():
    attack(_name, OWNER.replace("SET", _set))

# System calls on other processes, memory and the kernel, by libc or by number (x86-64).
for _name, _call in {
    "queue a signal to the judge": "syscall(129, JUDGE, 23, INFO)",
    "queue a signal to a thread of the judge": "syscall(297, JUDGE, JUDGE, 23, INFO)",
    "tkill the judge": "syscall(200, JUDGE, 23)",
    "tgkill the judge": "syscall(234, JUDGE, JUDGE, 23)",
    "tgkill the judge by its thread": "syscall(234, -1, JUDGE, 23)",
    "tgkill the parent": "syscall(234, os.getppid(), os.getppid(), 0)",
    "a descriptor for the judge": "syscall(434, JUDGE, 0)",
    "a signal through a process descriptor": "syscall(424, 3, 0, None, 0)",
    "copying one of the judge's descriptors": "syscall(438, 3, 0, 0)",
    "a timer": "syscall(222, 0, None, BUFFER)",
    "a timer that signals a thread of the judge": (
        "syscall(222, 1, struct.pack('qiii', 0, 23, 4, JUDGE) + bytes(44), BUFFER)"
    ),
    "a timer with a descriptor": "timerfd_create(0, 0)",
    "a descriptor for signals": "signalfd(-1, bytes(128), 0)",
    "a message queue": "syscall(240, b'queue', 0o102, 0o600, None)",
    "a notification from a message queue": "syscall(244, 3, struct.pack('qiii', 0, 23, 0, 0) + bytes(44))",
    "semaphores": "semget(1234, 1, 0o1600)",
    "the judge's processor time": "syscall(228, ((~JUDGE) << 3) | 2, BUFFER)",
    "the parent's processor time": "syscall(228, ((~os.getppid()) << 3) | 2, BUFFER)",
    "the judge's processor affinity": "syscall(204, JUDGE, 128, BUFFER)",
    "the judge's session": "getsid(JUDGE)",
    "the judge's process group": "getpgid(JUDGE)",
    "the judge's limits": "syscall(302, JUDGE, 7, None, BUFFER)",
    "the judge's robust futex list": "syscall(274, JUDGE, BUFFER, BUFFER)",
    "the judge's input/output priority": "syscall(145, JUDGE)",
    "setting the judge's processor affinity": "sched_setaffinity(JUDGE, 8, struct.pack('Q', 1))",
    "comparing itself with the judge": "syscall(312, os.getpid(), JUDGE, 0, 0, 0)",
    "writing the judge's memory": "process_vm_writev(JUDGE, BUFFER, 0, BUFFER, 0, 0)",
    "evicting the judge's memory": "syscall(440, 3, BUFFER, 0, 21, 0)",
    "waiting for the judge": "waitid(1, JUDGE, BUFFER, 4)",
    "a futex wake-up in another process": "syscall(202, SHARED, 1, 1)",
    "a futex requeue in another process": "syscall(202, SHARED, 3, 1, 1, SHARED)",
    "a futex with priority inheritance": "syscall(202, SHARED, 6, 0, None)",
    "a private futex with priority inheritance": "syscall(202, SHARED, 6 | 128, 0, None)",
    "the newer futex calls": "syscall(454, SHARED, 1, 1, 2)",
    "a barrier on all processors": "syscall(324, 1, 0, 0)",
    "a barrier on all registered processes": "syscall(324, 2, 0, 0)",
    "a child of the same parent": "syscall(56, 0x8000 | 17, 0, 0, 0, 0)",
    "a thread in another namespace": "syscall(56, 0x10000000 | 0x3d0f00, 0, 0, 0, 0)",
    "a child that cannot be traced": "syscall(56, 0x800000 | 17, 0, 0, 0, 0)",
    "a process by clone3": "syscall(435, struct.pack('11Q', *[0] * 4, 17, *[0] * 6), 88)",
    "another personality": "personality(0x40000)",
    "a call number of another architecture": "syscall(0x40000000 + 39)",
    "another architecture's fork number": "syscall(0x40000000 + 57)",
    "its own filter": "syscall(317, 1, 0, BUFFER)",
    "a filter with a notification descriptor": "syscall(317, 1, 8, BUFFER)",
    "the available filter actions": "syscall(317, 2, 0, struct.pack('I', 0x7fff0000))",
    "its own Landlock ruleset": "syscall(444, None, 0, 1)",
    "applying Landlock rules again": "syscall(446, 3, 0)",
    "a mount with the newer interface": "syscall(430, b'tmpfs', 0)",
    "opening a tree of mounts": "syscall(428, -100, b'/', 1)",
    "moving a mount": "syscall(429, 3, b'', -100, b'/', 4)",
    "pivot_root": "syscall(155, b'/', b'/')",
    "a file handle": "syscall(303, -100, b'/usr', BUFFER, BUFFER, 0)",
    "openat2": "syscall(437, -100, b'/', bytes(24), 24)",
    "fanotify": "syscall(300, 0, 0)",
    "quotas": "syscall(179, 0x800001 << 8, None, 0, None)",
    "process accounting": "acct(None)",
    "the kernel's log": "syscall(103, 10, None, 0)",
    "input/output ports": "iopl(0)",
    "a key": "syscall(248, b'user', b'x', b'y', 1, -2)",
    "secret memory": "syscall(447, 0)",
    "moving the judge's pages": "syscall(279, JUDGE, 0, None, None, BUFFER, 0)",
    "huge pages": "mmap(None, 1 << 21, 3, 0x40022, -1, 0)",
    "poisoned pages": "madvise(ctypes.c_void_p(PAGE), 4096, 100)",
    "pages merged with equal ones": "madvise(ctypes.c_void_p(PAGE), 4096, 12)",
    "evicted pages": "madvise(ctypes.c_void_p(PAGE), 4096, 21)",
    "which pages of a library are in use": "mincore(ctypes.c_void_p(PAGE), 4096, BUFFER)",
    "a real-time priority": "sched_setscheduler(0, 1, struct.pack('i', 1))",
    "its input/output priority": "syscall(251, 1, 0, 0)",
    "syncing a whole file system": "syncfs(3)",
    "an extended attribute": "setxattr(b'.', b'user.x', b'y', 1, 0)",
    "exchanging two files": "syscall(316, -100, b'/usr', -100, b'/lib', 2)",
    "a device": "mknod(b'device', 0o20666, 0x103)",
    "copying between descriptors": "sendfile(3, 3, None, 0)",
    "changing a file's owner": "fchown(3, 0, 0)",
    "a signal at its parent's end": "prctl(1, 9, 0, 0, 0)",
    "becoming the parent of orphans": "prctl(36, 1, 0, 0, 0)",
    "allowing anybody to trace it": "prctl(0x59616d61, -1, 0, 0, 0)",
    "changing the program's command line": "prctl(35, 8, 0, 0, 0)",
}.items():
    attack(
        f"system call: {_name}",
        f"""
        import ctypes, struct
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_long
        libc.syscall.restype = ctypes.c_long
        BUFFER = ctypes.create_string_buffer(4096)
        INFO = struct.pack("iii", 23, 0, -1) + bytes(116)
        PAGE = libc.mmap(None, 8192, 3, 0x21, -1, 0)
        SHARED = ctypes.c_void_p(PAGE)
        result = libc.{_call}
        if result == 0 and {"clone" in _call or "syscall(56" in _call or "435" in _call}:
            os._exit(0)
        return result >= 0
""",
    )

# The network.
for _name, _kind in {
    "an internet socket": "socket.AF_INET, socket.SOCK_STREAM",
    "a datagram socket": "socket.AF_INET, socket.SOCK_DGRAM",
    "an IPv6 socket": "socket.AF_INET6, socket.SOCK_STREAM",
    "a local socket": "socket.AF_UNIX, socket.SOCK_STREAM",
    "a netlink socket": "socket.AF_NETLINK, socket.SOCK_RAW",
    "a raw socket": "socket.AF_PACKET, socket.SOCK_RAW",
}.items():
    attack(f"open {_name}", f"import socket; return socket.socket({_kind}).fileno() > 0")
attack("make a pair of sockets", "import socket; return len(socket.socketpair()) == 2")
attack(
    "connect to the judge's machine",
    """
    import socket
    s = socket.create_connection(("127.0.0.1", 22), 1)
    return True
""",
)

# The kernel, by number (x86-64) where Python has no name for it.
for _name, _call in {
    "mount": "mount(b'none', b'/', b'tmpfs', 0, None)",
    "unshare users": "unshare(0x10000000)",
    "unshare mounts": "unshare(0x20000)",
    "chroot": "chroot(b'/tmp')",
    "set the host's name": "sethostname(b'x', 1)",
    "become root": "setuid(0)",
    "gain capabilities": "syscall(126, b'\\x22\\x05\\x08\\x20\\0\\0\\0\\0', b'\\xff' * 24)",
    "bpf": "syscall(321, 0, b'\\0' * 64, 64)",
    "perf events": "syscall(298, b'\\0' * 128, 0, -1, -1, 0)",
    "io_uring": "syscall(425, 8, b'\\0' * 120)",
    "userfaultfd": "syscall(323, 0)",
    "keyrings": "syscall(250, 0, -3, 1)",
    "open by handle": "syscall(304, -100, b'\\0' * 16, 0)",
    "load a module": "syscall(313, 0, b'', 0)",
    "restart the machine": "syscall(169, 0, 0, 0, 0)",
    "switch the filter off": "prctl(22, 0, 0, 0, 0)",
    "be dumpable again": "prctl(4, 1, 0, 0, 0)",
    "another namespace": "setns(3, 0)",
    "shared memory": "shmget(1234, 4096, 0o1600)",
    "message queues": "msgget(1234, 0o1600)",
    "a file in memory": "memfd_create(b'x', 0)",
    "inotify": "inotify_init()",
    "terminal input": "ioctl(0, 0x5412, b'x')",
    "swap": "swapon(b'/dev/vda', 0)",
    "the clock": "syscall(227, 0, b'\\0' * 16)",
}.items():
    attack(f"ask the kernel: {_name}", f"import ctypes; return ctypes.CDLL(None).{_call} >= 0")

# Exhaust a resource. True if the attack got more than its share.
attack("take 8 GB of memory", "x = bytearray(8 * 2**30); return len(x) > 0")
attack("map 1 TB", "import mmap; return len(mmap.mmap(-1, 2**40)) > 0")
attack(
    "start 500 threads",
    """
    import threading
    stop = threading.Event()
    count = 0
    try:
        for _ in range(500):
            threading.Thread(target=stop.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    stop.set()
    return count >= 500
""",
)
attack("open 1000 files", "return len([os.open('/dev/null', 0) for _ in range(1000)]) == 1000")
attack(
    "fill the disk",
    """
    with open("big", "wb") as file:
        for _ in range(300):
            file.write(bytes(2**20))
    return True
""",
)
attack(
    "fill the disk with many files",
    """
    for i in range(20):
        with open(f"big{i}", "wb") as file:
            file.write(bytes(2**24))
    return True
""",
)
attack(
    "make 10000 files",
    """
    for i in range(10000):
        open(f"f{i}", "w").close()
    return True
""",
)
attack("lock memory", "import ctypes; return ctypes.CDLL(None).mlockall(3) == 0")
attack("run forever", "while True: pass")
attack("sleep for an hour", "import time; time.sleep(3600)")
attack("recurse forever", "return f()")
attack(
    "recurse in C",
    "import functools, sys; sys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6): x = [x]\nreturn repr(x) == ''",
)
attack("print a number of many digits", "return len(str(10 ** (10**7))) > 0")
attack("match a pattern forever", "import re; return bool(re.match('(a+)+$', 'a' * 64 + 'b'))")

# The line to the judge.
attack("close the line", "os.close(3); return True")
attack("write noise to the line", "os.write(3, b'noise' * 1000); return True")
attack("announce a frame of 4 GB", "os.write(3, b'\\xff' * 16); return True")
attack("send an empty frame", "os.write(3, bytes(16)); return True")
attack("read the judge's next request", "os.set_blocking(3, False); return len(os.read(3, 1)) > 0")
attack(
    "forge an answer with a guessed number",
    """
    import gc
    for thing in gc.get_objects():
        if type(thing).__name__ == "Server":
            for guess in range(50):
                thing._send(guess, sys.modules["autograder_worker.messages"].Reply(True))
    return False
""",
)
attack("report again that it is confined", "os.write(3, b'L' * 64); return True")
attack("crash with a null pointer", "import ctypes; ctypes.string_at(0)")
attack("abort", "os.abort()")
attack("exit with code 0", "os._exit(0)")
attack("send itself SIGTERM", "os.kill(os.getpid(), 15); import time; time.sleep(5)")
attack("send itself SIGKILL", "os.kill(os.getpid(), 9); return False")
attack("send itself SIGSTOP", "os.kill(os.getpid(), 19); return False")
attack("set an alarm that ends it", "import signal, time; signal.alarm(1); time.sleep(3)")
