"""Answers in words: what a person enters becomes grades, and stays when grading is repeated."""

import csv
import os
import shutil

import pytest
from click.testing import CliRunner

from autograder.classroom import table_import
from autograder.classroom.grade_class import grade_class
from autograder.classroom.marking import Marking
from autograder.classroom.marks import CHANGED, ORPHANED, answer_id
from autograder.classroom.store import GivenMark
from autograder.cli import app
from tests.conftest import ROOT

pytestmark = [pytest.mark.one_in(6), pytest.mark.usefixtures("one_judge")]


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def graded(tmp_path):
    """Grade a class of three into a folder, as often as wanted."""
    for student, file in (("ann", "solutions"), ("bob", "exercises")):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        shutil.copy(ROOT / file / "reflection.py", folder)
    (tmp_path / "class" / "cem").mkdir()

    def grade():
        args = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
        args += ["--exercise", "reflection", "--course", str(ROOT), "--workers", "1", "--apply"]
        result = CliRunner().invoke(app, args)
        return result, {row["student"]: row for row in rows_of(tmp_path / "out" / "grades.csv")}

    grade.table = tmp_path / "out" / "by-hand.csv"
    grade.page = tmp_path / "out" / "by-hand.html"
    return grade


def test_marks_that_the_results_do_not_have_are_not_exported(graded, tmp_path):
    def export():
        args = ["export", "gradescope", str(tmp_path / "out"), "--out", str(tmp_path / "x")]
        return CliRunner().invoke(app, [*args, "--course", str(ROOT)])

    graded()
    assert "Written" in export().output
    fill_in(graded.table, ["1"] * len(rows_of(graded.table)))
    assert "by-hand.csv changed after grade ran" in str(export().exception)
    graded()
    assert "Written" in export().output


def fill_in(path, points):
    rows = rows_of(path)
    for row, each in zip(rows, points, strict=True):
        row["points"], row["comment"] = each, f"=comment on {row['question']}"
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


def test_answers_wait_for_a_person(graded):
    _, rows = graded()
    assert rows["ann"]["status"] == "by hand"
    assert rows["ann"]["reflection"] == ""
    assert rows["bob"]["reflection"] == "0"
    assert rows["cem"]["status"] == "missing"
    assert [row["student"] for row in rows_of(graded.table)] == ["ann"] * 3
    assert "variance d_k" in graded.page.read_text()
    assert "1 point: large differences between scores push the softmax" in graded.page.read_text()


def test_points_of_a_person_become_the_grade_and_stay(graded):
    graded()
    fill_in(graded.table, ["4", "2,5", "3"])
    _, rows = graded()
    assert rows["ann"]["reflection"] == "9.5"
    assert rows["ann"]["status"] == "graded"
    before = graded.table.read_text()
    assert "'=comment on why_scale" in before
    assert graded()[1] == rows
    assert graded.table.read_text() == before


def test_some_answers_may_wait(graded):
    graded()
    fill_in(graded.table, ["4", "", "3"])
    _, rows = graded()
    assert (rows["ann"]["reflection"], rows["ann"]["status"]) == ("7", "by hand")


@pytest.mark.parametrize("points", ["5", "-1", "many"])
def test_points_that_cannot_be_are_refused_with_their_line(graded, points):
    graded()
    fill_in(graded.table, ["4", points, "3"])
    result, _ = graded()
    assert "by-hand.csv, line 3" in str(result.exception)
    assert "from 0 to 4" in str(result.exception)


def test_a_table_that_is_no_utf_8_is_refused(graded):
    graded()
    graded.table.write_bytes(
        graded.table.read_bytes() + "ann,reflection,why_scale,4,4,gr\xfcn".encode("latin-1")
    )
    result, _ = graded()
    assert "Save it as CSV in UTF-8" in str(result.exception)


def test_a_table_without_its_columns_is_refused(graded):
    graded()
    graded.table.write_text("name,points\nann,4\n")
    result, _ = graded()
    assert "the columns student, exercise, question, of, comment are missing" in str(
        result.exception
    )


@pytest.fixture
def marked(graded):
    """The class, graded, and all of ann's answers marked."""
    graded()
    fill_in(graded.table, ["4", "2,5", "3"])
    graded()
    graded.ann = graded.table.parent.parent / "class" / "ann"
    return graded


def edit(path, change, into=lambda text: text.encode()):
    """The table as a person leaves it: `change` is given its rows, head first."""
    rows = list(csv.reader(path.read_text().splitlines()))
    changed = change(rows)
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in changed or rows) + "\n"
    path.write_bytes(into(text))


def rewrite(student, before, after):
    file = student / "reflection.py"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def typed(path):
    """All that a person wrote, wherever it stands now."""
    return sorted((row["student"], row["points"], row["comment"]) for row in rows_of(path))


@pytest.mark.parametrize("why", ["the folder", "the file", "the answers", "the folder's name"])
def test_marks_of_who_is_not_there_are_kept_and_count_again(marked, why):
    before, grades = typed(marked.table), marked()[1]
    away = marked.table.parent / "away"
    original = (marked.ann / "reflection.py").read_text()
    if why == "the folder":
        shutil.move(marked.ann, away)
    elif why == "the file":
        (marked.ann / "reflection.py").unlink()
    elif why == "the answers":
        shutil.copy(ROOT / "exercises" / "reflection.py", marked.ann)
    else:
        shutil.move(marked.ann, marked.ann.with_name("Ann"))
    for _ in range(2):
        result, rows = marked()
        assert before == [row for row in typed(marked.table) if row in before]
        assert [row["answer_state"] for row in rows_of(marked.table)][-3:] == [ORPHANED] * 3
        assert "3 rows kept but not counted, orphaned" in result.output.replace("\n", " ")
        assert "ann (why_scale)" in (marked.table.parent / "index.html").read_text()
        assert "Orphaned marks" in marked.page.read_text()
        assert rows.get("ann", {"reflection": ""})["reflection"] in {"", "0"}
    if why == "the folder":
        shutil.move(away, marked.ann)
    elif why == "the folder's name":
        shutil.move(marked.ann.with_name("Ann"), marked.ann)
    (marked.ann / "reflection.py").write_text(original)
    assert marked()[1] == grades
    assert typed(marked.table) == before
    assert "Orphaned" not in marked.page.read_text()


def test_one_folder_that_comes_later_costs_nobody_a_mark(marked):
    before = marked()[1]
    shutil.copytree(marked.ann, marked.ann.with_name("aaa"))
    rows = marked()[1]
    assert {name: rows[name] for name in before} == before
    assert [row["student"] for row in rows_of(marked.table)] == ["aaa"] * 3 + ["ann"] * 3


def test_a_mark_counts_only_for_the_answer_that_it_was_given_for(marked):
    before = typed(marked.table)
    rewrite(marked.ann, "variance d_k", "variance of nothing")
    for _ in range(2):
        result, rows = marked()
        said = result.output.replace("\n", " ")
        assert "1 row kept but not counted, answer changed" in said
        assert rows["ann"]["reflection"] == "5.5"
        assert rows["ann"]["status"] == "by hand"
        assert "1 of them changed after they were marked" in rows["ann"]["notes"]
        assert typed(marked.table) == before
        states = [row["answer_state"] for row in rows_of(marked.table)]
        assert states == [CHANGED, "", ""]
        page = marked.page.read_text()
        assert "Answer changed" in page and "4 points" in page
        assert (
            "=comment on why_scale"
            not in (marked.table.parent / "feedback" / "ann.html").read_text()
        )


@pytest.mark.parametrize("how", ["emptied", "filled in", "answer back"])
def test_a_mark_is_confirmed_for_the_new_answer(marked, how):
    grades = marked()[1]
    rewrite(marked.ann, "variance d_k", "variance of nothing")
    marked()
    new = ""
    if how == "filled in":
        copy = marked.ann.with_name("zoe")
        shutil.copytree(marked.ann, copy)
        marked()
        new = next(row["answer_id"] for row in rows_of(marked.table) if row["student"] == "zoe")
        shutil.rmtree(copy)
    if how == "answer back":
        rewrite(marked.ann, "variance of nothing", "variance d_k")
    else:
        edit(marked.table, lambda rows: rows[1].__setitem__(rows[0].index("answer_id"), new))
    result, rows = marked()
    assert rows == grades
    assert [row["answer_state"] for row in rows_of(marked.table)] == [""] * 3
    assert "not counted" not in result.output
    assert marked()[1] == grades


def test_marks_given_while_the_answer_changed_do_not_count(graded):
    """The page was read, the answer changed, and only then the points were entered."""
    graded()
    rewrite(graded.table.parent.parent / "class" / "ann", "variance d_k", "variance of nothing")
    fill_in(graded.table, ["4", "2", "3"])
    _, rows = graded()
    assert rows["ann"]["reflection"] == "5"
    assert rows_of(graded.table)[0]["answer_state"] == CHANGED


def test_lines_and_blanks_make_no_other_answer():
    assert answer_id("a b\n c") == answer_id("a\r\nb c ")
    assert answer_id("ab") != answer_id("a b")
    made = [answer_id(str(number)) for number in range(500)]
    assert len(set(made)) == 500
    assert all(each.isalpha() and len(each) == 24 for each in made)


def test_a_table_of_the_old_form_is_upgraded_without_loss(marked):
    before, grades = typed(marked.table), marked()[1]
    edit(marked.table, lambda rows: [row[:6] for row in rows])
    assert marked()[1] == grades
    assert typed(marked.table) == before
    assert all(len(row["answer_id"]) == 24 for row in rows_of(marked.table))
    rewrite(marked.ann, "variance d_k", "variance of nothing")
    assert marked()[1]["ann"]["reflection"] == "5.5"


def semicolons(text):
    return text.replace('","', '";"').encode()


SAVED = {
    "with a mark at the front": lambda text: text.encode("utf-8-sig"),
    "with semicolons": semicolons,
    "with tabs": lambda text: text.replace('","', '"\t"').encode(),
    "with both, as Excel does": lambda text: b"\xef\xbb\xbf" + semicolons(text),
    "with a first line that says so": lambda text: b"sep=;\r\n" + semicolons(text),
    "with other line ends": lambda text: text.replace("\n", "\r\n").encode(),
    "as Unicode text": lambda text: text.replace('","', '"\t"').encode("utf-16"),
}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("into", SAVED.values(), ids=SAVED)
def test_a_table_that_a_spreadsheet_saved_keeps_all_and_its_form(marked, into):
    grades = marked()[1]

    def change(rows):
        reordered = [[*row[::-1], "mine" if at else "my own column"] for at, row in enumerate(rows)]
        return [reordered[0], *reordered[:0:-1]]

    edit(marked.table, change, into)
    data = marked.table.read_bytes()
    assert marked()[1] == grades
    text = marked.table.read_bytes()
    encoding = "utf-16" if data.startswith(b"\xff\xfe") else "utf-8"
    assert text.decode(encoding).count("mine") == 3
    assert text.decode(encoding).count("2,5") == 1
    heads = [each.decode(encoding).replace('"', "").split("mine")[0] for each in (data, text)]
    assert heads[1].startswith(heads[0].splitlines(keepends=True)[0])
    assert marked()[1] == grades
    assert marked.table.read_bytes() == text
    shutil.rmtree(marked.ann)
    marked()
    assert marked.table.read_bytes().decode(encoding).count("mine") == 3


def test_what_a_person_adds_stays(marked):
    """Rows that are nobody's, a note where the state stands, cells beyond the head."""

    def change(rows):
        state = rows[0].index("answer_state")
        rows[1][state] = "ask her"
        rows[2].append("beyond the head")
        rows.append(["nobody", "reflection", "why_scale", "1"])
        rows.append(["ann", "an exercise of last year", "q", "77", "99", "'tis fine"])
        rows.append(["", "", "", "", "", "sum: 9,5"])
        rows.append(["", "", "", "", "", "checked on Monday"])

    edit(marked.table, change)
    grades = marked()[1]
    assert grades["ann"]["reflection"] == "9.5"
    rewrite(marked.ann, "variance d_k", "variance of nothing")
    for _ in range(2):
        marked()
        text = marked.table.read_text()
        for said in ("ask her", "beyond the head", "nobody", "77", "'tis", "9,5", "Monday"):
            assert text.count(said) == 1
        assert "answer changed; ask her" in text


def test_an_exercise_that_is_not_graded_this_time_keeps_its_rows(marked, course):
    before = marked.table.read_bytes()
    args = ["grade", str(marked.ann.parent), "--out", str(marked.table.parent)]
    args += ["--exercise", "softmax", "--course", str(ROOT), "--workers", "1"]
    CliRunner().invoke(app, args)
    assert marked.table.read_bytes() == before


@pytest.mark.parametrize("second", ["1", "4"])
def test_two_rows_for_one_answer_are_for_a_person(marked, second):
    edit(marked.table, lambda rows: rows.append(["ann", "reflection", "why_scale", second]))
    before = marked.table.read_bytes()
    result, _ = marked()
    assert "lines 2 and 5: two rows for ann / reflection / why_scale" in str(result.exception)
    assert marked.table.read_bytes() == before


@pytest.mark.parametrize("first", [False, True])
def test_of_two_rows_an_empty_one_says_nothing(marked, first):
    grades = marked()[1]
    empty = ["ann", "reflection", "why_scale", "", "4", ""]
    edit(marked.table, lambda rows: rows.insert(1 if first else len(rows), empty))
    assert marked()[1] == grades
    assert len(rows_of(marked.table)) == 3


def test_two_columns_of_one_name_are_refused(marked):
    edit(
        marked.table,
        lambda rows: [[*row, "comment" if not at else "x"] for at, row in enumerate(rows)],
    )
    assert "two columns have the name comment" in str(marked()[0].exception)


def changed_meanwhile(table):
    table.write_bytes(table.read_bytes() + b"bob,reflection,why_scale,1,4,typed just now\n")


def removed_meanwhile(table):
    table.unlink()


def open_in_a_spreadsheet(table):
    (table.parent / f".~lock.{table.name}#").write_text("somebody")


@pytest.mark.parametrize("event", [changed_meanwhile, removed_meanwhile, open_in_a_spreadsheet])
def test_a_table_that_somebody_has_in_hand_is_left_as_it_is(marked, monkeypatch, event):
    shutil.copytree(marked.ann, marked.ann.with_name("zoe"))
    left = []

    def grade(job, progress, *others):
        def meanwhile(*args):
            if not left:
                event(marked.table)
                left.append(marked.table.read_bytes() if marked.table.exists() else None)
            progress(*args)

        return grade_class(job, meanwhile, *others)

    monkeypatch.setattr("autograder.cli.grade_run.grade_class", grade)
    result, _ = marked()
    assert "was not written" in result.output.replace("\n", " ")
    assert (marked.table.read_bytes() if marked.table.exists() else None) == left[0]


def test_a_table_that_the_system_locks_is_left_as_it_is(marked, monkeypatch):
    shutil.copytree(marked.ann, marked.ann.with_name("zoe"))
    before = marked.table.read_bytes()

    def locked(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(table_import, "write_atomically", locked)
    result, _ = marked()
    assert "is open elsewhere" in result.output.replace("\n", " ")
    assert marked.table.read_bytes() == before


def test_a_stop_in_the_middle_leaves_the_old_table_or_the_new(marked, monkeypatch):
    shutil.copytree(marked.ann, marked.ann.with_name("zoe"))
    before = marked.table.read_bytes()

    def stop(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("autograder.course.files.os.replace", stop)
    marked()
    assert marked.table.read_bytes() == before


def test_a_linked_table_is_refused(marked, tmp_path):
    os.rename(marked.table, tmp_path / "theirs.csv")
    marked.table.symlink_to(tmp_path / "theirs.csv")
    before = (tmp_path / "theirs.csv").read_bytes()
    assert "is a link, not a file" in str(marked()[0].exception)
    assert (tmp_path / "theirs.csv").read_bytes() == before


def test_a_mark_of_the_desk_becomes_the_grade_and_the_export_waits_for_it(graded, tmp_path, course):
    graded()
    desk = Marking(tmp_path / "out", course)
    given = [GivenMark(*key, each.id, 2.0) for key, each in desk.answers().items()]
    desk.enter("ann", given, [desk.standing(each).token for each in desk.answers().values()])
    args = ["export", "gradescope", str(tmp_path / "out"), "--out", str(tmp_path / "x")]
    result = CliRunner().invoke(app, [*args, "--course", str(ROOT)])
    assert "or marks.sqlite changed after grade ran" in str(result.exception)
    _, rows = graded()
    assert (rows["ann"]["reflection"], rows["ann"]["status"]) == ("6", "graded")
