"""The same files of a class, after it was graded."""

import xml.etree.ElementTree as ET

import pytest

from autograder.cli.result_files import with_result_files
from tests.platforms.records import record, write


@pytest.mark.parametrize(("code", "there"), [(0, True), (1, True), (2, False), (3, False)])
def test_they_are_written_where_results_are(root, tmp_path, code, there):
    @with_result_files
    def grade(out, course, dry_run):
        write(out, record("=s1", 12.0), record("s2", 0.0, "missing"))
        raise SystemExit(code)

    files = {name: tmp_path / name for name in ("junit", "ctrf", "summary")}
    with pytest.raises(SystemExit) as done:
        grade(**files, out=tmp_path / "out", course=root, dry_run=False)
    assert done.value.code == code
    assert all(path.is_file() == there for path in files.values())
    if there:
        suites = ET.fromstring(files["junit"].read_text()).findall("testsuite")
        assert [each.attrib["name"] for each in suites] == ["=s1: softmax", "s2: softmax"]


def test_nothing_is_written_of_a_dry_run(root, tmp_path):
    @with_result_files
    def grade(out, course, dry_run):
        raise SystemExit(0)

    with pytest.raises(SystemExit):
        grade(
            junit=tmp_path / "x", ctrf=None, summary=None, out=tmp_path, course=root, dry_run=True
        )
    assert not (tmp_path / "x").exists()
