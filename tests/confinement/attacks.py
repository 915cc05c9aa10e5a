"""Bounded attacks: what a hostile submission may try, each as the body of a function.

An attack returns True only if it did what a submission must not be able to do, or returns what it
should not be able to know. `SECRET` is a file of the judge's, `JUDGE` its process id, and `OTHER`
the body of a file that an earlier submission left in its working folder.
"""

import textwrap

ATTACKS: dict[str, str] = {}


def attack(name: str, body: str) -> None:
    assert name not in ATTACKS
    ATTACKS[name] = textwrap.dedent(body).strip()


# Reading what is not its own: each way to read, of each place.
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

attack("find the secret in the environment", "return 'hunter2' in str(dict(os.environ))")
attack("list the root folder", "return len(os.listdir('/')) > 0")
attack("list the home of root", "return os.listdir('/root') != []")
attack("list all processes", "return any(name.isdigit() for name in os.listdir('/proc'))")
attack("see whether a file of the host is there", "return os.stat('/etc/passwd').st_size > 0")
attack("see the host's name", "return os.uname().nodename == HOST")
attack("import the reference", "import reference; return True")
attack("import the checks", "import autograder.checks; return True")
attack("import the judge", "from autograder.judge import session; return True")
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
attack("read what another submission wrote", "return open('left.txt').read() == OTHER")

# Writing where nothing of its own is.
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
attack("cut the secret off", "os.truncate(SECRET, 0); return True")
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
    "exec from memory",
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
    "leave a process behind",
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
attack("slow the others down", "os.setpriority(0, 0, -5); return True")
attack(
    "raise its own limits",
    "import resource as r; r.setrlimit(r.RLIMIT_CPU, (9999, 9999)); return True",
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
attack("a pair of sockets", "import socket; return len(socket.socketpair()) == 2")
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
    "a handle by number": "syscall(304, -100, b'\\0' * 16, 0)",
    "load a module": "syscall(313, 0, b'', 0)",
    "restart the machine": "syscall(169, 0, 0, 0, 0)",
    "switch the filter off": "prctl(22, 0, 0, 0, 0)",
    "be dumpable again": "prctl(4, 1, 0, 0, 0)",
    "another namespace": "setns(3, 0)",
    "shared memory": "shmget(1234, 4096, 0o1600)",
    "message queues": "msgget(1234, 0o1600)",
    "memory that is a file": "memfd_create(b'x', 0)",
    "inotify": "inotify_init()",
    "terminal input": "ioctl(0, 0x5412, b'x')",
    "swap": "swapon(b'/dev/vda', 0)",
    "the clock": "syscall(227, 0, b'\\0' * 16)",
}.items():
    attack(f"ask the kernel: {_name}", f"import ctypes; return ctypes.CDLL(None).{_call} >= 0")

# Using up what is there. True if it got more than its share.
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
attack("run without an end", "while True: pass")
attack("sleep without an end", "import time; time.sleep(3600)")
attack("recurse without an end", "return f()")
attack(
    "recurse in C",
    "import functools, sys; sys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6): x = [x]\nreturn repr(x) == ''",
)
attack("a number of many digits", "return len(str(10 ** (10**7))) > 0")
attack("a pattern that never ends", "import re; return bool(re.match('(a+)+$', 'a' * 64 + 'b'))")

# The line to the judge.
attack("close the line", "os.close(3); return True")
attack("noise on the line", "os.write(3, b'noise' * 1000); return True")
attack("a frame of 4 GB", "os.write(3, b'\\xff' * 16); return True")
attack("an empty frame", "os.write(3, bytes(16)); return True")
attack("read the judge's next request", "os.set_blocking(3, False); return len(os.read(3, 1)) > 0")
attack(
    "forge the answer with a guessed number",
    """
    import gc
    for thing in gc.get_objects():
        if type(thing).__name__ == "Server":
            for guess in range(50):
                thing._send(guess, sys.modules["autograder_worker.messages"].Reply(True))
    return False
""",
)
attack("pretend to be locked in again", "os.write(3, b'L' * 64); return True")
attack("crash with a null pointer", "import ctypes; ctypes.string_at(0)")
attack("abort", "os.abort()")
attack("leave with code 0", "os._exit(0)")
attack("end by a signal of its own", "os.kill(os.getpid(), 15); import time; time.sleep(5)")
attack("be killed by a signal of its own", "os.kill(os.getpid(), 9); return False")
attack("stop itself", "os.kill(os.getpid(), 19); return False")
attack("an alarm that ends it", "import signal, time; signal.alarm(1); time.sleep(3)")
