"""The same files of a class, after it was graded."""

import xml.etree.ElementTree as ET

import pytest

from autograder.cli.result_files import ResultFiles, write_class_result_files
from tests.classroom.quick import Quick
from tests.classroom.records import record, write


@pytest.mark.parametrize(("code", "there"), [(0, True), (1, True), (2, False), (3, False)])
def test_they_are_written_where_results_count(root, tmp_path, code, there):
    write(tmp_path / "out", record("=s1", 12.0), record("s2", 0.0, "missing"))
    files = {name: tmp_path / name for name in ("junit", "summary")}
    write_class_result_files(ResultFiles(**files), tmp_path / "out", root, code)
    assert all(path.is_file() == there for path in files.values())
    if there:
        suites = ET.fromstring(files["junit"].read_text()).findall("testsuite")
        assert [each.attrib["name"] for each in suites] == ["=s1: softmax", "s2: softmax"]


def test_a_class_is_graded_with_them_and_a_dry_run_without(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=5", two="a=1 b=1")
    assert quick.run("grade", "--dry-run", "--junit", tmp_path / "dry.xml").exit_code == 0
    assert quick.run("grade", "--junit", tmp_path / "real.xml").exit_code == 0
    assert [path.name for path in tmp_path.glob("*.xml")] == ["real.xml"]
