"""Tests of the packed files of a student kit."""

import lzma
from pathlib import Path

import pytest

from autograder.checks import recorded_answers
from autograder.checks.recorded_answers import HiddenCheck, pack, read_packed
from autograder.course.errors import UserError

RECORD = HiddenCheck("test_rows", "Rows", 2.0)


def test_packed_records_can_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "rows.bin"
    file.write_bytes(pack(RECORD))
    assert read_packed(file, HiddenCheck) == RECORD
    assert pack(RECORD) == file.read_bytes()


@pytest.mark.parametrize("data", [b"", b"text", pack(RECORD)[:-20], pack([1, 2])])
def test_damaged_files_are_refused_with_a_message(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "rows.bin"
    file.write_bytes(data)
    with pytest.raises(UserError, match=r"rows\.bin cannot be read"):
        read_packed(file, HiddenCheck)


def test_files_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_answers, "MOST", 1000)
    file = tmp_path / "rows.bin"
    file.write_bytes(lzma.compress(bytes(100_000)))
    with pytest.raises(UserError, match="too large"):
        read_packed(file, HiddenCheck)
