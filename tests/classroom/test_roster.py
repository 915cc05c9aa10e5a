"""The roster: who is who by id, e-mail or name, who is missing, and what it does not leave open."""

from types import SimpleNamespace

import msgspec
import pytest

from autograder.classroom import downloads
from autograder.classroom import roster as roster_module
from autograder.classroom.downloads import Owner
from autograder.classroom.hand_ins import hand_ins
from autograder.classroom.roster import Roster, spellings
from autograder.course.errors import UserError
from tests.classroom.quick import Quick
from tests.platforms.downloads import CANVAS, GRADESCOPE, MOODLE, put

ROSTER = """\
id;Name;E-Mail;email;group;canvas;extra_days;excused
m1;Müller, Jörg;;joerg@example.org;;101;1,5;
m2;Ann van der Berg;;ann@example.org;;;;attention-1, attention-2
m3;小明 王;;;;;;
m4;Gu Ga;;;Group A;;;
m5;Lee Park;;;Group A;;;
m6;Never There;;;;;;
"""


@pytest.fixture
def roster(tmp_path, course):
    def roster(text=ROSTER):
        path = tmp_path / "roster.csv"
        path.write_text(text)
        return Roster(path, course)

    return roster


@pytest.fixture
def read(tmp_path, roster):
    def read(files, text=ROSTER):
        root = put(tmp_path / "in", files)
        scratch = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        folders, notes, _ = hand_ins(root, ["softmax"], roster(text), scratch)
        return {folder.student: folder for folder in folders}, notes

    return read


def test_a_class_on_canvas(read):
    found, notes = read(CANVAS)
    assert list(found) == ["m1", "m2", "m3", "m4", "m5", "m6", "oneilsean_104", "textonly_105"]
    assert found["m1"].hand_in.name == "Müller, Jörg"
    assert (found["m1"].hand_in.platform_id, found["m1"].hand_in.extra_days) == ("101", 1.5)
    assert found["m2"].hand_in.excused == ("attention-1", "attention-2")
    assert found["m2"].hand_in.late
    for member in ("m4", "m5"):
        assert found[member].hand_in.entries == ("groupa_106_9006_softmax.py",)
        assert found[member].hand_in.platform_id == ""  # the number is one member's, or the group's
        assert found[member].notes == ("Handed in by a team: groupa.",)
    assert found["m6"].path is None
    assert found["m6"].hand_in.enrolled
    assert found["oneilsean_104"].hand_in.enrolled is False
    assert "1 student of the roster handed in nothing: m6." in notes
    assert any(note.startswith("Graded, but not in the roster: oneilsean_104; t") for note in notes)


def test_by_e_mail_and_id(read):
    found, _ = read(GRADESCOPE, "id,email,name\nx1,JOERG@example.org,\n3002,,\nx3,,Chen Bo\n")
    assert list(found) == ["3002", "empty@example.org", "submission_99", "x1", "x3"]


def test_plain_folders_by_id_and_name(read):
    found, notes = read(
        {"m1/softmax.py": "x", "Berg, Ann van der/softmax.py": "x", "m66/softmax.py": "x"}
    )
    assert list(found) == ["m1", "m2", "m3", "m4", "m5", "m6", "m66"]
    assert notes[-1].startswith("Graded, but not in the roster: m66. If")  # other digits


PEOPLE = """id,name
12000,Emma Moore
12001,Eva Torres
12002,"Öztürk, Can"
12003,Anna Berg
12004,Anna Berg
jsmith,John Smith
hands1,Max In
"""


@pytest.mark.parametrize(
    ("folder", "likely"),
    [
        ("emoore", "emoore (perhaps Emma Moore, 12000)"),
        ("cozturk", "cozturk (perhaps Öztürk, Can, 12002)"),
        ("Emma Louise Moore", "Emma Louise Moore (perhaps Emma Moore, 12000)"),
        ("Ema Moore", "Ema Moore (perhaps Emma Moore, 12000)"),
        ("jsmiht", "jsmiht (perhaps John Smith, jsmith)"),
        *[
            (name, name)
            for name in ("etores2", "12010", "hsmith", "aberg", "min", "hands2", "roster", "moore")
        ],
    ],
)
def test_only_a_likely_student_is_suggested(read, folder, likely):
    """Likely is one missing student, by a typing error or a login that is made of the name."""
    _, notes = read({f"{folder}/softmax.py": "x", "hands1/softmax.py": "x"}, PEOPLE)
    assert f"not in the roster: {likely}. If" in notes[-1]


def test_a_class_of_strangers_is_compared_only_for_those_that_are_printed(monkeypatch, read):
    """Each comparison is slow, and a class by other names has as many strangers as missing."""
    compared = []
    monkeypatch.setattr(roster_module, "_may_be_called", lambda *both: compared.append(both))
    people = "id,name\n" + "".join(f"m{i},Student {i}\n" for i in range(15))
    _, notes = read({f"other{i:02}/softmax.py": "x" for i in range(13)}, people)
    assert len(compared) == 10 * 15
    assert "other08; other09. 3 more. If the roster" in notes[-1]


def test_two_of_one_name_are_not_guessed(read):
    found, notes = read(MOODLE, "id,name,moodle\na,Anna Muster,\nb,Muster Anna,\n")
    assert "By name, Anna Muster_2003 may be any of the students a, b." in notes[-1]
    assert {found[student].path for student in "ab"} == {None}
    assert "A person must say" in found["a"].unclear
    assert found["Jörg Müller_2001"].path is not None  # the others are graded
    found, _ = read(MOODLE, "id,name,moodle\na,Anna Muster,2004\nb,Muster Anna,2003\n")
    assert found["a"].hand_in.platform_id == "2004"
    found, notes = read(MOODLE, "id,name\na,Anna Muster\n")
    assert "Each of Anna Muster_2003, Anna Muster_2004 may be the student a." in notes[-1]
    assert found["a"].unclear


def test_a_display_name_takes_nothing_from_an_id(read):
    found, notes = read(
        {
            "Bob Muster_222_assignsubmission_file/softmax.py": "bob = 1\n",
            "Bob Muster_111_assignsubmission_file/softmax.py": "eve = 1\n",
        },
        "id,name,moodle\nbob,Bob Muster,222\neve,Eve Adams,111\n",
    )
    assert found["bob"].hand_in.platform_id == "222"
    assert found["eve"].hand_in.platform_id == "111"
    assert not any("leaves open" in note for note in notes)


def test_a_row_with_a_number_of_its_own_is_nobody_elses(roster):
    names = roster("id,name,moodle\na,Anna Muster,2004\n")
    assert names.match([("moodle", Owner(key="k", id="2003", name="Anna Muster"))])[0].ids == []


def test_a_sites_own_platform_has_a_column(roster, monkeypatch):
    """By its importer's name, after those of the kit; one that is called as another column is none."""
    whole = list(downloads.importers().values())
    own = [msgspec.structs.replace(whole[0], name=name) for name in ("moonboard", "email")]
    points = {e.name: SimpleNamespace(name=e.name, value="x", load=lambda e=e: e) for e in own}
    known = dict(downloads.hooks(downloads.GROUP))
    monkeypatch.setattr(downloads, "hooks", lambda group: known | points)
    text = "id,email,moonboard,canvas\na,a@x.org,m7,7\n"
    found = roster(text)
    assert found.known("a").ids == {"canvas": "7", "moonboard": "m7"}
    assert list(found.known("a").ids) == ["canvas", "moonboard"]
    assert found.match([("moonboard", Owner(key="m7"))])[0].ids == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nx\n", "the column id is missing. Give the column of the students' ids"),
        ("id\n", "lists no student"),
        ("id,name\na,x\na,y\n", "lines 2 and 3: two rows have the id a"),
        ("id,name\n,x\n", "line 2: the id is missing"),
        (
            "id,extra_days\na,soon\n",
            "column extra_days: expected days from 0 to 3650, found 'soon'",
        ),
        ("id,extra_days\na,nan\n", "expected days"),
        ("id,handed_in\na,noon\n", "expected a time such as 2027-02-05T23:10, found 'noon'"),
    ],
)
def test_what_is_no_roster(roster, text, said):
    with pytest.raises(UserError, match=said):
        roster(text)


def test_a_roster_that_is_not_there(tmp_path, course):
    with pytest.raises(UserError, match="does not exist"):
        Roster(tmp_path / "roster.csv", course)


def test_spellings():
    assert spellings("Ann van der Berg") >= {"annvanderberg", "vanderbergann", "bergannvander"}
    assert "o'neil".replace("'", "") in "".join(spellings("O'Neil"))
    assert spellings("") == set()


@pytest.fixture
def quick(tmp_path, monkeypatch):
    return Quick(tmp_path, monkeypatch)


EXCUSES = "id,excused\nann,{}\nbob,\n"


@pytest.fixture
def graded(quick, tmp_path):
    """Grade a class with an excuse of ann's in the roster; her row, and whose grade changed."""
    path = tmp_path / "roster.csv"
    for student in ("ann", "bob"):
        quick.work(student, one="a=5 b=5", two="a=5 b=0")

    def graded(excuse, *names, **more):
        path.write_text(EXCUSES.format(excuse))
        overview = quick.grade(*names, roster=path, **more)
        return quick.table()["ann"], [c.student for c in overview.difference.changes]

    quick.grade(roster=None)
    return graded


@pytest.mark.parametrize("names", [(), ("two",), ("one",)])
def test_an_excuse_counts_and_goes_in_later_runs_too(graded, names):
    """Whatever is graded now: an excuse for another exercise was ignored, and so was its end."""
    assert graded("one", *names) == ("EX 5 5", ["ann"])
    assert graded("one", *names) == ("EX 5 5", [])
    assert graded("second", *names) == ("10 EX 10", ["ann"])
    assert graded("", *names) == ("10 5 15", ["ann"])


def test_an_excuse_counts_for_who_hands_in_nothing_now(graded, quick):
    quick.work("ann", two=None)
    assert graded("", "two") == ("10 . 10", ["ann"])
    assert graded("all", "two") == ("EX EX EX", ["ann"])
    assert graded("", "two") == ("10 . 10", ["ann"])


def test_an_excuse_that_a_person_entered_is_not_the_roster_s(graded, quick):
    quick.run("adjust", quick.out, "ann", "one", "--excuse", "--why", "ill")
    assert graded("two", "two")[0] == "10 EX 10"
    assert graded("two", "one")[0] == "EX EX EX"
    assert graded("", "two")[0] == "EX 5 5"


def test_the_excuse_of_a_run_stays_in_one_without_a_roster(graded, quick):
    graded("one")
    quick.grade("two")
    assert quick.table()["ann"] == "EX 5 5"


def test_an_excuse_for_nothing_is_refused(graded):
    with pytest.raises(UserError, match=r"line 2, column excused: .* found 'onee'. Did you mean"):
        graded("onee")
    with pytest.raises(UserError, match=r"exercises, assignments or all, found 'nonsense'\.$"):
        graded("first nonsense")


def test_a_name_like_an_id_takes_no_plain_folder(read):
    """The folder has the id of one student, and another one is called so."""
    found, _ = read({"s2/softmax.py": "x", "s1/softmax.py": "x"}, "id,name\ns1,S2\ns2,Bo\n")
    assert [(found[name].unclear, bool(found[name].path)) for name in ("s1", "s2")] == [
        ("", True)
    ] * 2
