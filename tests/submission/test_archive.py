"""Zips: only sources, only below the target, bounded."""

import stat
import struct
import tracemalloc
import warnings
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.course.errors import UserError
from autograder.submission import archive
from autograder.submission.archive import MAX_LISTED_STUDENT, MAX_STUDENT, unpack


def make(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            file.writestr(name, data)
    return path


def tree(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_sources_are_unpacked_and_nothing_else(tmp_path):
    entries = [("s1/softmax.py", "a"), ("s1/data.bin", "b"), ("s2/", ""), ("s3/notes.pdf", "")]
    assert unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")[0] == []
    assert tree(tmp_path / "out") == ["s1/softmax.py"]
    assert (tmp_path / "out" / "s2").is_dir()
    assert (tmp_path / "out" / "s3").is_dir()


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/evil.py", "s1/../../evil.py", "..\\evil.py", "C:\\evil.py", "a/../b.py"],
)
def test_paths_that_lead_out(tmp_path, name):
    (tmp_path / "out").mkdir()
    entry = zipfile.ZipInfo(name)
    notes, _ = unpack(make(tmp_path / "c.zip", [(entry, "x")]), tmp_path / "out")
    assert "its path leads outside the archive" in notes[0]
    assert tree(tmp_path) == ["c.zip"]


def test_links_and_devices(tmp_path):
    entries = []
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
        entry = zipfile.ZipInfo(f"s1/{kind}.py")
        entry.external_attr = (kind | 0o777) << 16
        entries.append((entry, "/etc/passwd"))
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert len(notes) == 3
    assert tree(tmp_path) == ["c.zip"]


def test_an_entry_that_is_there_twice(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = make(tmp_path / "c.zip", [("s1/a.py", "first"), ("s1/a.py", "second")])
    assert "another entry has the same name" in unpack(path, tmp_path / "out")[0][0]
    assert (tmp_path / "out" / "s1" / "a.py").read_text() == "first"


def test_a_bomb_is_left_out_and_the_rest_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_NOTEBOOK", 2**20)
    entries = [("s1/bomb.py", b"\0" * 2**24), ("s2/softmax.py", "fine")]
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert "s1/bomb.py was left out: it is larger than 1 MiB" in notes[0]
    assert tree(tmp_path / "out") == ["s2/softmax.py"]


def test_damaged_entries_are_left_out(tmp_path):
    path = make(tmp_path / "c.zip", [("s1/a.py", bytes(range(256)) * 4), ("s2/b.py", "fine")])
    data = bytearray(path.read_bytes())
    data[40:50] = b"\xff" * 10
    path.write_bytes(data)
    assert "s1/a.py was left out: it is damaged" in unpack(path, tmp_path / "out")[0][0]
    assert tree(tmp_path / "out") == ["s2/b.py"]


def test_what_is_no_zip(tmp_path):
    (tmp_path / "c.zip").write_text("not a zip")
    with pytest.raises(UserError, match="not a zip file"):
        unpack(tmp_path / "c.zip", tmp_path / "out")


def test_names_too_long_for_the_file_system(tmp_path):
    path = make(tmp_path / "c.zip", [("s1/" + "a" * 300 + ".py", "x"), ("s2/b.py", "fine")])
    assert "cannot be written" in unpack(path, tmp_path / "out")[0][0]
    assert tree(tmp_path / "out") == ["s2/b.py"]


LONG = "n" * 256
BAD = {
    "a folder's name is too long": [(f"s1/{LONG}/softmax.py", "x")],
    "a folder of other things has a name too long": [(f"s1/{LONG}/data.bin", "x")],
    "an empty folder's name is too long": [(f"s1/{LONG}/", "")],
    "a name is too long in bytes only": [("s1/" + "語" * 90 + ".py", "x")],
    "a student's folder has a name too long": [(f"{LONG}/softmax.py", "x")],
    "a file below a file": [("s1/a.py", "x"), ("s1/a.py/softmax.py", "x")],
    "another file below a file": [("s1/a.py", "x"), ("s1/a.py/b/data.txt", "x")],
    "a file over a folder": [("s1/a.py/softmax.py", "x"), ("s1/a.py", "x")],
    "a folder over a file": [("s1/a.py", "x"), ("s1/a.py/", "")],
    "a student's folder is a file": [("s1.py", "x"), ("s1.py/softmax.py", "x")],
    "a path too long": [("s1/" + "/".join(["d" * 250] * 18) + "/softmax.py", "x")],
    "a path of many folders": [("s1/" + "d/" * 3000 + "softmax.py", "x")],
    "NUL in a name": [("s1/a\0b.py", "x"), ("s1/\0.py", "x")],
    "control characters": [("s1/a\nb\x1b[2J.py", "x"), ("s1/\x7f\u202e.py", "x")],
    "only dots": [("./.", ""), ("s1/./softmax.py/.", "")],
    "no name": [("/", ""), ("//", "x"), (".py", "x"), ("s1/.py", "x")],
    "devices of other systems": [("s1/con.py", "x"), ("s1/NUL", "x"), ("s1/a.py:b.py", "x")],
}


def crc_wrong(path, name):
    """Damage what an entry holds."""
    with zipfile.ZipFile(path) as file:
        entry = file.getinfo(name)
    data = bytearray(path.read_bytes())
    start = entry.header_offset + 30 + len(name)
    data[start : start + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(data)


def header_cut(path, name):
    """An entry that begins where the file ends."""
    data = bytearray(path.read_bytes())
    where = data.index(b"PK\x01\x02")
    while data[where + 46 : where + 46 + len(name)] != name.encode():
        where = data.index(b"PK\x01\x02", where + 4)
    struct.pack_into("<I", data, where + 42, len(data) - 10)
    path.write_bytes(data)


def method(number):
    """An entry that says it was compressed in another way."""

    def change(path, name):
        data = bytearray(path.read_bytes())
        for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            where = data.index(mark)
            while data[where + (30 if at == 8 else 46) :][: len(name)] != name.encode():
                where = data.index(mark, where + 4)
            struct.pack_into("<H", data, where + at, number)
        path.write_bytes(data)

    return change


@pytest.mark.parametrize("entries", BAD.values(), ids=BAD)
def test_one_bad_entry_never_costs_anybody_else(tmp_path, entries):
    entries = [("s0/softmax.py", "fine"), *entries, ("s2/softmax.py", "fine")]
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert {"s0/softmax.py", "s2/softmax.py"} <= set(tree(tmp_path / "out"))
    assert all(note.isprintable() for note in notes)
    assert tree(tmp_path) == ["c.zip", *(f"out/{name}" for name in tree(tmp_path / "out"))]


@pytest.mark.parametrize(
    "name",
    [
        "a folder's name is too long",
        "a name is too long in bytes only",
        "a student's folder has a name too long",
        "a file below a file",
        "a file over a folder",
        "a student's folder is a file",
        "a path too long",
        "a path of many folders",
    ],
)
def test_a_source_that_is_left_out_has_a_note(tmp_path, name):
    notes, _ = unpack(make(tmp_path / "c.zip", BAD[name]), tmp_path / "out")
    assert len(notes) == 1
    assert "was left out" in notes[0]


@pytest.mark.parametrize(
    "damage", [crc_wrong, header_cut, method(12), method(14), method(93), method(99)]
)
def test_damage_of_every_kind(tmp_path, damage):
    names = ["s0/softmax.py", "s1/softmax.py", "s2/softmax.py"]
    path = make(tmp_path / "c.zip", [(name, name * 50) for name in names])
    damage(path, "s1/softmax.py")
    assert "s1/softmax.py was left out: it" in unpack(path, tmp_path / "out")[0][0]
    assert tree(tmp_path / "out") == ["s0/softmax.py", "s2/softmax.py"]


PART = st.sampled_from(
    [
        "a",
        "A",
        "a.py",
        "A.PY",
        "a.py ",
        "b.ipynb",
        ".",
        "..",
        "",
        "é.py",
        "e\u0301.py",
        LONG + ".py",
    ]
) | st.sampled_from(
    ["c:", "\\", "con.py", "x\0.py", "\u202e.py", "🦊.py", "-", "~", "$(x).py", "d" * 251 + ".py"]
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(PART, min_size=1, max_size=6).map("/".join), max_size=12))
def test_any_names_at_all(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("zip")
    entries = [(f"s1/{name}", "x") for name in names] + [("s2/softmax.py", "fine")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = make(folder / "c.zip", entries)
    unpack(path, folder / "out")
    assert "s2/softmax.py" in tree(folder / "out")
    assert all(name.startswith(("s1/", "s2/")) for name in tree(folder / "out"))
    assert {each.name for each in folder.iterdir()} == {"c.zip", "out"}


def test_names_that_differ_in_case_never_become_one(tmp_path):
    entries = [("s1/a.py", "1"), ("s1/A.py", "2"), ("S1/a.py", "3")]
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    texts = sorted(path.read_text() for path in (tmp_path / "out").rglob("*.py"))
    assert len(texts) + len(notes) == 3
    assert (tmp_path / "out" / "s1" / "a.py").read_text() == "1"


def test_a_folder_that_is_there_by_another_spelling_is_not_taken(tmp_path):
    """As on a file system that ignores case: the second student's file stays out, with a note."""
    (tmp_path / "out" / "S1").mkdir(parents=True)
    (tmp_path / "out" / "S1" / "a.py").write_text("hers")
    notes, _ = unpack(
        make(tmp_path / "c.zip", [("S1/a.py", "x"), ("S1/b.py", "x")]), tmp_path / "out"
    )
    assert len(notes) == 2 and "another entry has the same name" in notes[0]
    assert tree(tmp_path / "out") == ["S1/a.py"]


@pytest.mark.parametrize("around", ["", "class/", "term/class/"])
@pytest.mark.parametrize("others", [[], ["readme.txt", "__MACOSX/x.py", ".git/y.py"]])
def test_one_student_cannot_use_up_the_room_of_others(tmp_path, monkeypatch, around, others):
    monkeypatch.setattr(archive, "MAX_STUDENT", 50_000)
    greedy = [(f"{around}a{n}/{m}.py", b"x" * 10_000) for n in range(5) for m in range(9)]
    honest = [(f"{around}z{n}/softmax.py", b"y" * 1000) for n in range(9)]
    entries = [*((name, "") for name in others), *greedy, *honest]
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out", room=120_000)
    there = tree(tmp_path / "out")
    assert {name for name, _ in honest} <= set(there)
    written = sum(path.stat().st_size for path in (tmp_path / "out").rglob("*.py"))
    assert written <= 120_000
    for n in range(5):
        assert sum(f"a{n}/" in name for name in there) <= 5
        assert any(f"a{n}" in note and "too large" in note for note in notes)


def test_a_crowd_of_entries_is_bounded_for_each_student(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_STUDENT_ENTRIES", 20)
    entries = [(f"s1/{n}.py", "x") for n in range(300)] + [("s2/softmax.py", "fine")]
    notes, _ = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert len(tree(tmp_path / "out")) == 21
    assert len(notes) == 6
    assert notes[-1] == "s1: 275 more entries left out."


def test_entries_whose_names_are_in_no_encoding(tmp_path):
    path = make(tmp_path / "c.zip", [("s1/ä.py", "x"), ("s2/softmax.py", "fine")])
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xff\xfe"))
    unpack(path, tmp_path / "out")
    assert "s2/softmax.py" in tree(tmp_path / "out")


def test_a_full_disk_is_no_fault_of_an_entry(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipExtFile, "read", full)
    with pytest.raises(UserError, match="No space left"):
        unpack(make(tmp_path / "c.zip", [("s1/a.py", "x")]), tmp_path / "out")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_unpacks_chunk_by_chunk_is_unpacked(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as file:
        file.writestr("s1/softmax.py", b"\n" * 100_000, compress_type=method)
        file.writestr("s2/softmax.py", b"x = 1\n", compress_type=zipfile.ZIP_STORED)
        file.writestr("s3/softmax.py", b"x = 1\n", compress_type=zipfile.ZIP_DEFLATED)
    ((note,), _) = unpack(tmp_path / "c.zip", tmp_path / "out")
    assert note.startswith("s1/softmax.py was left out: its compression is not supported")
    assert "Make the zip again" in note
    assert tree(tmp_path / "out") == ["s2/softmax.py", "s3/softmax.py"]


def claims(path, size, count, zip64=False):
    """A zip of a megabyte of nothing that says how long its list of entries is."""
    with path.open("wb") as file:
        file.truncate(size)
        file.seek(size)
        if zip64:
            file.write(
                struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, 0)
            )
            file.write(struct.pack("<IIQI", 0x07064B50, 0, size, 1))
            size, count = 0xFFFFFFFF, 0xFFFF
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, size, 0, 0))
    return path


@pytest.mark.parametrize("zip64", [False, True])
@pytest.mark.parametrize("bounds", [(), (MAX_STUDENT, MAX_LISTED_STUDENT)])
def test_a_list_of_entries_that_is_said_to_be_huge_is_not_read(tmp_path, bounds, zip64):
    path = claims(tmp_path / "c.zip", 2**30, 1, zip64)
    tracemalloc.start()
    with pytest.raises(UserError, match=r"has too many entries: at most .* Make a new zip"):
        unpack(path, tmp_path / "out", *bounds)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 2_000_000


def test_a_list_of_more_entries_than_a_zip_may_have(tmp_path):
    path = make(tmp_path / "c.zip", [(f"s1/a{number}.py", "") for number in range(60)])
    assert unpack(path, tmp_path / "one", listed=60)[0] == []
    with pytest.raises(UserError, match="at most 59 are read"):
        unpack(path, tmp_path / "out", listed=59)


def test_a_student_whose_zip_lists_too_much_is_told(tmp_path):
    (tmp_path / "s1").mkdir()
    claims(tmp_path / "s1" / "work.zip", 2**28, 1)
    (tmp_path / "s1" / "softmax.py").write_text("x = 1\n")
    (tmp_path / "s2").mkdir()
    found = read_work(find_folders(tmp_path, ["softmax"])[0][0], ["softmax"])
    assert set(found.sources) == {"softmax"}
    assert any(note.startswith("work.zip has too many entries") for note in found.notes)
