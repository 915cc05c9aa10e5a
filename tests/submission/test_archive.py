"""Zips: only sources, only below the target, bounded."""

import stat
import zipfile

import pytest

from autograder.errors import UserError
from autograder.submission import archive
from autograder.submission.archive import unpack


def make(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            file.writestr(name, data)
    return path


def tree(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_sources_are_unpacked_and_nothing_else(tmp_path):
    entries = [("s1/softmax.py", "a"), ("s1/data.bin", "b"), ("s2/", ""), ("s3/notes.pdf", "")]
    assert unpack(make(tmp_path / "c.zip", entries), tmp_path / "out") == []
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
    notes = unpack(make(tmp_path / "c.zip", [(entry, "x")]), tmp_path / "out")
    assert "its path leads out of the archive" in notes[0]
    assert tree(tmp_path) == ["c.zip"]


def test_links_and_devices(tmp_path):
    entries = []
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
        entry = zipfile.ZipInfo(f"s1/{kind}.py")
        entry.external_attr = (kind | 0o777) << 16
        entries.append((entry, "/etc/passwd"))
    notes = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert len(notes) == 3
    assert tree(tmp_path) == ["c.zip"]


def test_an_entry_that_is_there_twice(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = make(tmp_path / "c.zip", [("s1/a.py", "first"), ("s1/a.py", "second")])
    assert "another entry has the same name" in unpack(path, tmp_path / "out")[0]
    assert (tmp_path / "out" / "s1" / "a.py").read_text() == "first"


def test_a_bomb_is_left_out_and_the_rest_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_NOTEBOOK", 2**20)
    entries = [("s1/bomb.py", b"\0" * 2**24), ("s2/softmax.py", "fine")]
    notes = unpack(make(tmp_path / "c.zip", entries), tmp_path / "out")
    assert "s1/bomb.py was left out: it is larger than 1 MiB" in notes[0]
    assert tree(tmp_path / "out") == ["s2/softmax.py"]


def test_damaged_entries_are_left_out(tmp_path):
    path = make(tmp_path / "c.zip", [("s1/a.py", bytes(range(256)) * 4), ("s2/b.py", "fine")])
    data = bytearray(path.read_bytes())
    data[40:50] = b"\xff" * 10
    path.write_bytes(data)
    assert "s1/a.py was left out: it is damaged" in unpack(path, tmp_path / "out")[0]
    assert tree(tmp_path / "out") == ["s2/b.py"]


def test_what_is_no_zip(tmp_path):
    (tmp_path / "c.zip").write_text("not a zip")
    with pytest.raises(UserError, match="not a zip file"):
        unpack(tmp_path / "c.zip", tmp_path / "out")


def test_names_too_long_for_the_file_system(tmp_path):
    path = make(tmp_path / "c.zip", [("s1/" + "a" * 300 + ".py", "x"), ("s2/b.py", "fine")])
    assert "cannot be written" in unpack(path, tmp_path / "out")[0]
    assert tree(tmp_path / "out") == ["s2/b.py"]
