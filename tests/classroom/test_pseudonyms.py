"""Results without names: nobody is in them, and the key gives everybody back."""

import csv
import json
import re

import pytest

from autograder.course.errors import UserError
from tests.classroom.quick import Quick

ROSTER = (
    "id,name,email,section,canvas,handed_in\n"
    "ann,Ann Musterfrau,ann@example.org,Evening,101,2027-02-01T10:00\n"
    "bob,Bob Beispiel,bb@example.org,Evening,102,\ncem,Cem Yılmaz,,,103,\n"
)
NAMES = (
    "ann",
    "bob",
    "cem",
    "musterfrau",
    "beispiel",
    "yılmaz",
    "example.org",
    "evening",
    "10[123]",
)


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=5")
    (quick.class_folder / "ann" / "one.py").rename(quick.class_folder / "ann" / "one_musterfrau.py")
    (quick.class_folder / "ann" / "Musterfrau essay.pdf").write_text("x")
    quick.work("bob", one="a=5 b=0", two="a=5 b=5")
    quick.work("cem")
    quick.roster = tmp_path / "roster.csv"
    quick.roster.write_text(ROSTER)
    quick.key = quick.root / "pseudonyms.csv"
    return quick


def key(quick):
    with quick.key.open(newline="", encoding="utf-8") as file:
        return {row["student"]: row["pseudonym"] for row in csv.DictReader(file)}


def test_nobody_is_in_anything_that_is_written(quick):
    done = quick.run("grade", "--anonymous", "--roster", quick.roster)
    assert done.exit_code == 0, done.output
    for path in quick.out.rglob("*"):
        if path.is_file() and path.name != "grade.log":
            text = path.read_bytes().decode("utf-8", "ignore").casefold()
            text = text.replace(str(quick.root.parent).casefold(), "")  # pytest numbers its folders
            text = re.sub(
                r"(?s)<style>.*?</style>|<(path|rect|text|line)\b[^>]*>", "", text
            )  # places
            for name in NAMES:
                assert not re.search(rf"\b{name}\b", text), (path, name)
            assert not re.search(r"ann[_ .]|musterfrau", path.name)
    called = key(quick)
    assert set(called) == {"ann", "bob", "cem"}
    table = quick.table()
    assert list(table) == sorted(called.values())
    assert table[called["ann"]] == "10 . 10" and table[called["bob"]] == "5 10 15"
    assert quick.key.stat().st_mode & 0o077 == 0


def test_a_pseudonym_lasts(quick, tmp_path):
    quick.grade(anonymous=True)
    before, files = key(quick), quick.files()
    quick.work("dan", one="a=1 b=1")
    quick.grade(anonymous=True, out=tmp_path / "other")
    now = key(quick)
    assert {student: now[student] for student in before} == before and set(now) - set(before) == {
        "dan"
    }
    quick.grade("one", anonymous=True)
    assert quick.table()[now["ann"]] == "10 . 10"
    (quick.class_folder / "dan" / "one.py").unlink()
    (quick.class_folder / "dan").rmdir()
    quick.grade(anonymous=True)
    left = f"feedback/{now['dan']}.html"  # a page is never removed
    assert {name: data for name, data in quick.files().items() if name != left} == files


def test_the_key_gives_everybody_back(quick, tmp_path):
    quick.run("grade", "--anonymous", "--roster", quick.roster)
    called = key(quick)
    options = ["--add", "-1", "--why", "copied", "--by", "me"]
    assert quick.run("adjust", quick.out, "ann", "one", *options).exit_code == 0
    assert called["ann"] in (quick.out / "adjustments.csv").read_text()
    assert "ann," not in (quick.out / "adjustments.csv").read_text()
    done = quick.run(
        "grade", "--anonymous", "--roster", quick.roster, "--student", "ann", "--apply"
    )
    assert done.exit_code == 0, done.output
    assert quick.table()[called["ann"]] == "9 . 9"
    gradebook = tmp_path / "gradebook.csv"
    head = "Student,ID,SIS User ID,SIS Login ID,Section,One (1)\n    Points Possible,,,,,10\n"
    gradebook.write_text(head + "A. M.,101,,,,\nBob Beispiel,102,,,,\n")
    upload = tmp_path / "upload.csv"
    done = quick.run("export", "canvas", quick.out, "--template", gradebook, "--out", upload)
    assert upload.read_text() == head + "A. M.,101,,,,9\nBob Beispiel,102,,,,5\n", done.output
    assert "cem (Cem Yılmaz)" in done.output


def test_names_and_pseudonyms_do_not_mix(quick, tmp_path):
    quick.grade()
    with pytest.raises(UserError, match="has results with names. For results without names"):
        quick.grade(anonymous=True)
    quick.grade(anonymous=True, out=tmp_path / "other")
    with pytest.raises(UserError, match="has results without names. Add --anonymous"):
        quick.grade(out=tmp_path / "other")


def test_a_key_that_was_damaged_is_said(quick):
    quick.grade(anonymous=True)
    text = quick.key.read_text()
    quick.key.write_text(text + text.splitlines()[1] + "\n")
    with pytest.raises(UserError, match="line 5: .* occurs twice"):
        quick.grade(anonymous=True)
    quick.key.write_text("student\nann\n")
    with pytest.raises(UserError, match="column pseudonym is missing. Restore them"):
        quick.grade(anonymous=True)


def test_the_record_says_nothing_of_the_platform(quick):
    quick.run("grade", "--anonymous", "--roster", quick.roster)
    records = [json.loads(line) for line in (quick.out / "report.jsonl").read_text().splitlines()]
    ann = next(r for r in records if r["student"] == key(quick)["ann"])
    assert ann["hand_in"]["at"] == "2027-02-01T10:00:00" and ann["exercises"][0]["file"] == "one.py"
    assert not any(
        ann["hand_in"][name] for name in ("name", "email", "ids", "platform_id", "section")
    )


def test_folders_that_may_be_several_students_are_counted_not_named(quick):
    for name in ("dora", "emil", "fred"):
        folder = quick.class_folder / "group" / name
        folder.mkdir(parents=True)
        (folder / "one.py").write_text("said = 'a=1'\n")
    for name in ("bob", "cem"):  # of the class, in a folder of somebody else's
        folder = quick.class_folder / "ann" / name
        folder.mkdir()
        (folder / "two.py").write_text(f"said = '{name}'\n")
    quick.run("grade", "--anonymous", "--roster", quick.roster)
    text = (quick.out / "report.jsonl").read_text()
    assert "hold the folders of several: 3 folders. If" in text
    assert "There are several files for" in text
    assert not re.search(r"\b(dora|emil|fred|bob|cem)\b", text)


def test_the_log_has_no_name_that_the_command_had(quick, monkeypatch):
    quick.grade(anonymous=True)
    one = ["grade", "--anonymous", "--student", "ann", "--student=bob", "--apply"]
    for arguments in (one, ["grade", "--student", "ann", "--anonymous"]):
        monkeypatch.setattr("sys.argv", ["autograder", *arguments, str(quick.class_folder / "ann")])
        quick.run(*arguments)
    text = (quick.out / "grade.log").read_text()
    assert text.count("--student …") == 2 and "--student=…" in text
    assert not re.search(r"\b(ann|bob|cem)\b", text)
