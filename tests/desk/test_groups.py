"""From failures without a name to a name in the students' reports: the whole loop, by forms alone."""

import re
import shutil
import time

import msgspec
import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.report.model import Report
from tests.conftest import ROOT
from tests.courses import write_course
from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.test_hostile import BIDI, MANY, hostile

HEAD = "import re\n\n\ndef count_words(text):\n    counts = {}\n"
FOUND = '    for word in re.findall(r"[a-z]+(?:\'[a-z]+)*", text.lower()):\n'
RIGHT = HEAD + FOUND + "        counts[word] = counts.get(word, 0) + 1\n    return counts\n"
ONE_TOO_MANY = RIGHT.replace("get(word, 0)", "get(word, 1)")
TOO = RIGHT.replace("return counts", "return {word: n + 1 for word, n in counts.items()}")
FINDING = "Each count is one too many: a word that comes once has a 2."
HINTS = (
    "What does your dict say of `a` in `a`?",
    "A word that comes once has a 1.",
    "Begin with 0.",
)


class Desk:
    """A copy of the course on text, a class that was graded, and the desk on it."""

    def __init__(self, folder, post, **students):
        self.root, self.out, self._post = folder / "course", folder / "out", post
        shutil.copytree(ROOT / "examples/courses/text", self.root)
        for student, code in students.items():
            (folder / "class" / student).mkdir(parents=True)
            (folder / "class" / student / "word_counts.py").write_text(code)
        args = ["grade", str(folder / "class"), "--out", str(self.out), "--course", str(self.root)]
        done = CliRunner().invoke(
            app, [*args, "--exercise", "word_counts", "--workers", "1", "--own-code"]
        )
        assert done.exit_code in {0, 1}, done
        self.client = let_in(client_of(self.out, load_course(self.root / "course.yml")))

    def reports(self):
        lines = (self.out / "report.jsonl").read_bytes().splitlines()
        found = (msgspec.json.decode(line, type=Report) for line in lines)
        return {report.student: report for report in found}

    def files(self):
        paths = (path for path in self.root.rglob("*.*") if path.suffix in {".py", ".json", ".yml"})
        return {path: path.read_bytes() for path in paths}

    def groups(self):
        return re.findall(r'href="(/groups/[^"]+)"', self.client.get("/groups").text)

    def post(self, path, **fields):
        """Post a form, and wait for what it begins."""
        page = self._post(self.client, path, **fields)
        until = time.monotonic() + 1500
        while ("Running:" in page.text or "hx-trigger" in page.text) and time.monotonic() < until:
            time.sleep(0.5)
            page = self.client.get(page.url.path)
        return page

    def name(self, group, name, **others):
        words = {"finding": FINDING} | {f"hint{n}": hint for n, hint in enumerate(HINTS, 1)}
        return self.post(f"{group}/name", id=name, **{**words, **others})

    def put_in_force(self, page):
        """Say yes to the difference that a page shows."""
        shown = re.search(r'name="difference" value="(\w+)"', page.text)[1]
        return self.post("/regrade/apply", difference=shown)


def said(report):
    return {check.diagnosis.finding for check in report.exercises[0].checks if check.diagnosis}


@pytest.mark.thorough
def test_an_unnamed_group_is_named_verified_graded_again_and_told(tmp_path, post):
    desk = Desk(tmp_path, post, ann=ONE_TOO_MANY, bob=TOO, cem=RIGHT)
    before = desk.files()
    (group,) = desk.groups()
    page = desk.client.get(group)
    assert "2 students with the same answers" in text_of(page)
    assert "counts.get(word, 1)" in page.text
    page = desk.name(group, "one-too-many")
    assert "verify passes with it. The group's answers are recorded" in text_of(page), text_of(page)
    assert not said(desk.reports()["ann"])  # nothing counts yet
    page = desk.post(f"{group}/again")
    assert "2 pages changed without a change of grade" in text_of(page), text_of(page)
    assert not said(desk.reports()["ann"])
    page = desk.put_in_force(page)
    assert "Applied as version 2" in text_of(page), text_of(page)
    reports = desk.reports()
    assert [said(reports[student]) for student in ("ann", "bob", "cem")] == [
        {FINDING},
        {FINDING},
        set(),
    ]
    assert reports["ann"].exercises[0].checks[0].hints == HINTS
    assert FINDING in next((desk.out / "feedback").glob("ann*")).read_text()
    assert not desk.groups()
    after = desk.files()
    (new,) = after.keys() - before.keys()
    assert {path: after[path] for path in before} == before
    assert (
        new.relative_to(desk.root).as_posix()
        == "reference/misconceptions/named/word_counts/one_too_many.json"
    )


def test_what_hostile_reports_say_is_text(tmp_path):
    course = write_course(tmp_path, {"one": 6})
    group = "0123456789"
    lines = []
    for number, text in enumerate(MANY):
        data = msgspec.to_builtins(hostile(number, text))
        for each in data["exercises"][0]["checks"]:
            each["group"] = group if each["name"] != "test_named" else "<script>"
        lines.append(msgspec.json.encode(data))
    (tmp_path / "report.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    client = let_in(client_of(tmp_path, course))
    for path in ("/groups", f"/groups/one/{group}"):
        page = client.get(path)
        assert f"{len(MANY)} students" in text_of(page)
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert BIDI not in page.text
        assert "\u202e" not in page.text
        assert len(page.text) < 50_000
    assert "/groups/one/<" not in client.get("/groups").text
    assert "&lt;script&gt;/" not in client.get("/groups").text


@pytest.mark.thorough
def test_a_name_with_which_verify_does_not_hold_is_not_written(tmp_path, post):
    desk = Desk(tmp_path, post, ann=ONE_TOO_MANY)
    solution = desk.root / "examples/right/word_counts/wrong.py"
    solution.write_text(ONE_TOO_MANY)  # a right answer that the checks refuse
    (group,) = desk.groups()
    page = desk.name(group, "one-too-many")
    assert "Nothing was written, because verify does not pass" in text_of(page)
    assert "right answer wrong" in text_of(page)
    assert not list(desk.root.rglob("named"))
