"""One student's files, however hostile, never change another student's grade.

Trees are drawn from names, kinds of files and contents that have caused errors. Each is read as a
class of a platform or as plain folders, beside a student whose work is right.
"""

import ast
import contextlib
import io
import os
import random
import socket
import stat
import subprocess
import sysconfig  # noqa: F401  before the test is another user, who may not read it
import tempfile
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo  # noqa: F401

import msgspec
import pytest

from autograder.classroom.hand_ins import Folder
from autograder.classroom.submissions import opened, read_work
from autograder.course.lateness import days_late
from autograder.submission.stubs import read_stubs
from tests.classroom.quick import Quick
from tests.engine import ENGINE

RIGHT = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.ones(3)\n"
DUE = datetime(2027, 2, 5, tzinfo=UTC)
NOBODY = 65534
NAMES = [
    *(
        "softmax.py",
        "softmax.py",
        "softmax.ipynb",
        "causal_mask.py",
        "SOFTMAX.PY",
        "softmax.py.txt",
    ),
    *(
        "a",
        "b",
        "v1",
        "v2",
        "v3",
        "work.zip",
        "x.rar",
        "timestamp.txt",
        ".softmax.py",
        ".git",
        "...",
    ),
    *("x" * 255, "ü" * 127, "x" * 251 + ".py", "\udcff.py", "\udcff", "a\nb.py", "\x1b[2J.py", " "),
    *("CON", "-", "=1+1", "\u202e.py", "softmax\\evil.py", "C:", "softmax.zip", "submission_1"),
]
CONTENTS = [
    *(
        b"",
        RIGHT.encode(),
        b"\xff\xfe",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbfx",
        b"\0" * 50,
        b"# coding: utf-7\n+",
    ),
    *(
        b"def softmax(",
        b"{",
        b'{"cells": [], "nbformat": 4}',
        b"[" * 5000,
        b"PK\3\4",
        b"PK\5\6" + b"\0" * 18,
    ),
    *(
        b"0001-01-01 00:00:00 Pacific/Kiritimati",
        b"9999-12-31 23:59:59 Etc/GMT+12",
        b"2027-02-05 10:00:00 UTC",
    ),
    *(
        b"0001-01-01 00:00:00 +14:00",
        b"2027-02-05 10:00:00 ../../x",
        b"2027-02-05 \xff \0",
        b"9" * 5000,
    ),
]
CLASSES = {  # a platform's names for the student and for the good one
    "plain": ("{}", "good"),
    "nbgrader": ("{}/week-1", "good/week-1"),
    "moodle": ("Eve_1_assignsubmission_file", "Good_2_assignsubmission_file"),
    "repositories": ("week-1-eve", "week-1-good"),
}


def make(folder, draw, depth=0):
    """Fill a folder with a tree; what the file system refuses is left out."""
    for _ in range(draw.randint(1, 5)):
        path = os.path.join(folder, draw.choice(NAMES).replace("/", "_"))
        kind = draw.choice(["file"] * 4 + ["folder"] * 2 + list(KINDS))
        with contextlib.suppress(OSError, ValueError):
            if os.path.lexists(path):  # to write to a pipe is to wait for its reader
                continue
            if kind == "folder" and depth < 3:
                os.mkdir(path)
                make(path, draw, depth + 1)
                os.chmod(path, draw.choice([0o700, 0o700, 0, 0o400, 0o100]))
            elif kind in KINDS:
                KINDS[kind](path, draw)
            else:
                Path(path).write_bytes(draw.choice(CONTENTS))


def deep(path, draw):
    """A folder so deep that its path is too long."""
    os.makedirs(path)
    here = os.open(path, os.O_RDONLY)
    for _ in range(18):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def sparse(path, draw):
    with open(path, "wb") as file:
        file.truncate(draw.choice([2**20 + 1, 2**33]))


def a_socket(path, draw):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


def old(path, draw):
    Path(path).write_text(RIGHT)
    os.utime(path, (draw.choice([-(2**33), 0, 2**34]),) * 2)


def secret(path, draw):
    Path(path).write_text(RIGHT)
    os.chmod(path, 0)


def fill(file, folder, draw):
    """Put hostile entries into a folder of an open zip."""
    for _ in range(draw.randint(1, 4)):
        names = draw.choices([*NAMES, "y" * 300, "9" * 5000, "..", "", "a/b"], k=draw.randint(1, 3))
        path = "/".join([folder, *names]).encode("utf-8", "replace").decode()
        info = zipfile.ZipInfo(
            path, draw.choice([(1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)])
        )
        info.external_attr = draw.choice([0, 0, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFREG]) << 16
        with warnings.catch_warnings(action="ignore"):  # of two entries with one name
            file.writestr(info, draw.choice(CONTENTS))


def packed(path, draw):
    """A student's zip, which may be damaged."""
    with io.BytesIO() as data:
        with zipfile.ZipFile(data, "w") as file:
            for folder in ("", "a", "b"):
                fill(file, folder, draw)
        content = bytearray(data.getvalue())
    for _ in range(draw.choice([0, 0, 1, 5])):
        content[draw.randrange(len(content))] = draw.randrange(256)
    Path(path).write_bytes(content)


KINDS = {
    "link": lambda path, draw: os.symlink(
        draw.choice(["/etc/passwd", "/etc", "x", ".", path]), path
    ),
    "pipe": lambda path, draw: os.mkfifo(path),
    "socket": a_socket,
    "deep": deep,
    "sparse": sparse,
    "time": old,
    "secret": secret,
    "zip": packed,
}


@contextlib.contextmanager
def as_nobody(folder):
    """A superuser reads everything: be another user meanwhile, who may write to the folder."""
    if os.geteuid() != 0:
        yield
        return
    os.chmod(folder, 0o777)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def read_class(place, course, stubs):
    """Read a class as a run does; return each student's work, after all has been stored."""
    found = {}
    with opened(place, course) as submissions:
        msgspec.json.encode(submissions.notes)
        for folder in submissions.folders:
            work = read_work(folder, course.exercises, stubs)  # nothing is raised
            msgspec.json.encode([folder.student, folder.hand_in, work], enc_hook=ascii)
            if folder.hand_in is not None and folder.hand_in.at:
                days_late(DUE, datetime.fromisoformat(folder.hand_in.at), 0, 3650)
            found[folder.student] = work
    return found


def is_there(found):
    """Whether the good student's work was read."""
    (work,) = [work for student, work in found.items() if "good" in student.casefold()]
    return work.sources["softmax"].text == RIGHT and not work.unclear


def read_tree(seed, course, stubs):
    draw = random.Random(seed)
    name, good = CLASSES[draw.choice(list(CLASSES))]
    eve = name.format(draw.choice(["eve", *NAMES]))
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made, as_nobody(made):
        place = Path(made, "in")
        (place / good).mkdir(parents=True)
        (place / good / "softmax.py").write_text(RIGHT)
        if "/" in good:
            (place / good / "timestamp.txt").write_text("2027-02-05 10:00:00 UTC")
        places = [eve, "Eve_1_assignsubmission_onlinetext"] if "assign" in eve else [eve]
        for folder in places[: draw.randint(1, 2)]:
            with contextlib.suppress(OSError):
                os.makedirs(place / folder)
                make(place / folder, draw)
        if good.startswith("week-1-"):
            for folder in (eve, good):
                with contextlib.suppress(OSError):
                    (place / folder / ".git").mkdir()
        try:
            return is_there(read_class(place, course, stubs))
        finally:
            if not is_root:  # who deletes everything
                subprocess.run(["chmod", "-R", "u+rwx", made], check=False)


def read_zip(seed, course, stubs):
    draw = random.Random(seed)
    name, good = CLASSES[draw.choice(list(CLASSES))]
    eve = name.format(draw.choice(["eve", "z" * 300, "\u4e2d" * 100, *NAMES]))
    with tempfile.TemporaryDirectory() as made:
        place = Path(made, "in.zip")
        with zipfile.ZipFile(place, "w") as file:
            fill(file, eve.encode("utf-8", "replace").decode(), draw)
            file.writestr(f"{good}/softmax.py", RIGHT)
            if "/" in good:
                file.writestr(f"{good}/timestamp.txt", "2027-02-05 10:00:00 UTC")
        return is_there(read_class(place, course, stubs))


def wrong_seeds(seeds, course):
    """The seeds of classes that could not be read, or without the good student's work."""
    stubs, wrong = read_stubs(course), {}
    for seed in seeds:
        for read in (read_tree, read_zip):
            try:
                if not read(seed, course, stubs):
                    wrong[seed, read.__name__] = "the good one was not read"
            except Exception as error:
                wrong[seed, read.__name__] = repr(error)[:300]
    return wrong


def test_300_trees_cost_nobody_else_anything(course):
    assert wrong_seeds(range(150), course) == {}


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(20))
def test_10_000_trees_cost_nobody_else_anything(course, block):
    assert wrong_seeds(range(250 * block, 250 * (block + 1)), course) == {}


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("good", one="a=5 b=5")
    quick.work("eve", two="a=5 b=5")
    return quick


def graded(quick, **more):
    """Each student's statuses and reasons, after a run."""
    rows = quick.grade(**more).rows
    table = {row.student: row for row in rows}
    assert table["good"].statuses["one"] == "graded"
    return table


@pytest.mark.parametrize("kind", ["pipe", "socket"])
@pytest.mark.parametrize("platform", ["plain", "moodle"])
def test_what_is_no_file_needs_a_person(quick, monkeypatch, kind, platform):
    folder = quick.class_folder / "eve"
    monkeypatch.chdir(folder)  # a socket's path is short
    KINDS[kind]("one.py", None)
    if platform == "moodle":
        for student in ("eve", "good"):
            path = quick.class_folder / student
            path.rename(quick.class_folder / f"{student}_{len(student)}_assignsubmission_file")
        (quick.class_folder / "eve_3_assignsubmission_onlinetext").mkdir()
        rows = {row.student: row for row in quick.grade().rows}
        eve = rows["eve_3"]
    else:
        eve = graded(quick)["eve"]
    assert eve.statuses == {"one": "needs a person", "two": "graded"}
    assert "one: needs a person. one.py is not a regular file." in eve.notes


def test_a_folder_without_permission_needs_a_person(tmp_path):
    with tempfile.TemporaryDirectory() as made, as_nobody(made):
        folder = Path(made, "eve")
        (folder / "old").mkdir(parents=True)
        (folder / "two.py").write_text("x = 1\n")
        (folder / "old").chmod(0)
        work = read_work(Folder("eve", folder), ["one", "two"])
        assert work.unclear == {"one": "old/ cannot be read: Permission denied."}
        assert list(work.sources) == ["two"]
        folder.chmod(0)
        work = read_work(Folder("eve", folder), ["one", "two"])
        assert set(work.unclear.values()) == {"The folder cannot be read: Permission denied."}
        folder.chmod(0o700)
        (folder / "old").chmod(0o700)


@pytest.mark.parametrize("folder", ["z" * 300, "Zoe" + "z" * 300 + "_1_assignsubmission_file"])
def test_a_folder_name_in_a_zip_that_no_disk_holds(quick, folder):
    good = "good_2_assignsubmission_file" if "assign" in folder else "good"
    with zipfile.ZipFile(quick.class_folder.parent / "in.zip", "w") as file:
        file.writestr(f"{good}/one.py", "said = 'a=5 b=5'\n")
        file.writestr(f"{folder}/one.py", "said = 'a=5 b=5'\n")
    quick.class_folder = quick.class_folder.parent / "in.zip"
    zoe, fine = sorted(quick.grade().rows, key=lambda row: row.statuses["one"], reverse=True)
    assert fine.statuses["one"] == "graded"
    assert zoe.statuses == {"one": "needs a person", "two": "missing"}
    assert any(
        "one.py was left out: it cannot be written (File name too long)." in n for n in zoe.notes
    )


@pytest.mark.parametrize("platform", ["moodle", "flat"])
def test_a_file_that_cannot_be_unpacked_is_not_empty_or_missing(quick, platform):
    name = "eve_3_assignsubmission_file" + ("/" if platform == "moodle" else "_") + "one.py"
    path = quick.class_folder.parent / "in.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("good_4_assignsubmission_file/one.py", "said = 'a=5 b=5'\n")
        file.writestr(name, "said = 'a=5 b=5'\n")
    data = path.read_bytes()
    path.write_bytes(data[::-1].replace(b"5=b 5=a", b"5=b 9=a", 1)[::-1])  # of the last file
    quick.class_folder = path
    rows = {row.student: row for row in quick.grade().rows}
    assert rows["good_4"].statuses["one"] == "graded"
    assert rows["eve_3"].statuses["one"] == "needs a person"
    assert any("one.py was left out: it is damaged" in note for note in rows["eve_3"].notes)


@pytest.mark.parametrize("year", ["0001-01-01", "9999-12-31"])
def test_a_time_that_cannot_be(quick, year):
    for student in ("good", "eve"):
        folder = quick.class_folder / student / "week-1"
        folder.mkdir()
        (folder / "timestamp.txt").write_text("2027-02-05 10:00:00 UTC")
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12", "UTC"):
        (quick.class_folder / "eve" / "week-1" / "timestamp.txt").write_text(
            f"{year} 23:59:59 {zone}"
        )
        eve = graded(quick)["eve"]
        assert eve.statuses["two"] == "graded"
        assert any("which is not possible" in note for note in eve.notes)


ALLOWED = {  # what the instructor named
    ("classroom/submissions.py", "opened"),
    ("classroom/roster.py", "__init__"),
}
ACCESS = {
    *("scandir", "walk", "listdir", "iterdir", "glob", "rglob", "stat", "lstat", "is_file"),
    *("is_dir", "is_symlink", "exists", "readlink", "symlink_to", "copyfile", "copytree"),
    *("read_text", "open", "link", "hardlink_to", "unlink", "touch"),
}
READERS = [
    *(f"classroom/{name}.py" for name in ("downloads", "hand_ins", "roster")),
    *(f"submission/{name}.py" for name in ("choice", "file_names", "source", "walk")),
    *(
        f"platforms/{name}.py"
        for name in ("blackboard", "brightspace", "canvas", "moodle", "readers")
    ),
    "classroom/submissions.py",
]


@pytest.mark.parametrize("place", READERS)
def test_submitted_files_are_touched_in_one_module(place):
    for function in ast.walk(ast.parse((ENGINE / place).read_text())):
        if isinstance(function, ast.FunctionDef) and (place, function.name) not in ALLOWED:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    assert node.func.attr not in ACCESS, (
                        place,
                        function.name,
                        node.lineno,
                    )
