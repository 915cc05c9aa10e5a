"""Each platform's download: whose is what, when, and which of several hand-ins counts."""

import os
from datetime import UTC, datetime

import pytest

from autograder.classroom import downloads
from autograder.classroom.downloads import Importer
from autograder.classroom.hand_ins import hand_ins
from autograder.classroom.submissions import read_work
from autograder.course.errors import UserError
from autograder.platforms import canvas
from autograder.platforms.readers import prefix_of
from autograder.submission.archive import unpack
from autograder.submission.stubs import read_stubs
from tests.courses import write_course
from tests.platforms.downloads import (
    BLACKBOARD,
    BRIGHTSPACE,
    CANVAS,
    GRADESCOPE,
    MOODLE,
    MOODLE_FLAT,
    NBGRADER,
    REPOSITORIES,
    SOFTMAX,
    packed,
    put,
)

EXERCISES = ["softmax", "causal_mask"]


@pytest.fixture
def read(tmp_path):
    """Read a download, as a folder or as a zip: the folders by student, and the notes."""

    def read(files, platform=None, zipped=False):
        root, listed = tmp_path / "download", []
        if zipped:
            _, listed = unpack(packed(tmp_path / "download.zip", files), root)
        else:
            put(root, files)
        folders, notes, _ = hand_ins(root, EXERCISES, None, tmp_path / "scratch", listed, platform)
        return {folder.student: folder for folder in folders}, notes

    return read


def text_of(folder, exercise="softmax"):
    return read_work(folder, EXERCISES).sources[exercise].text


@pytest.mark.parametrize("zipped", [False, True])
def test_canvas(read, zipped):
    found, notes = read(CANVAS, zipped=zipped)
    assert list(found) == [
        "groupa_106",
        "müllerjörg_101",
        "oneilsean_104",
        "textonly_105",
        "van_der_bergann_102",
        "王小明_103",
    ]
    again = found["müllerjörg_101"]
    assert text_of(again).endswith("# again\n")
    assert again.notes == ("softmax.py was left out: softmax-1.py was handed in later.",)
    assert {path.name for path in again.path.iterdir()} == {"softmax-1.py", "helper-1.py"}
    late = found["van_der_bergann_102"].hand_in
    assert (late.platform, late.platform_id, late.late) == ("canvas", "102", True)
    for student, name in (("oneilsean_104", "essay.pdf"), ("textonly_105", "text.html")):
        work = read_work(found[student], EXERCISES)
        assert (work.sources, work.notes) == ({}, [f"Nothing can be graded in {name}."])
    assert notes[0] == "Read as a download of Canvas: 8 entries."
    assert notes[1] == "2 entries not graded, since the student is unknown:"
    assert notes[2].startswith(
        "The file mullerjorg_softmax.py belongs to no student: expected files such"
    )
    assert notes[2].endswith("The name is most similar to müllerjörg_101's.")
    assert notes[3].startswith("The file notes from the teacher.docx belongs to no student")


@pytest.mark.parametrize(
    ("name", "key", "user", "file", "late"),
    [
        ("anon_aB3xY_77_softmax.py", "anon_aB3xY", "aB3xY", "softmax.py", False),
        ("LATE_anon_12345_77_softmax.py", "anon_12345", "12345", "softmax.py", True),
        ("latelyann_1_2_3_4_x.py", "latelyann_1", "1", "3_4_x.py", False),
        ("late_LATE_1_2_x.py", "late_1", "1", "x.py", True),
        ("lam\u0301_1_2_x.py", "lam\u0301_1", "1", "x.py", False),
        ("अनिता_1_2_x.py", "अनिता_1", "1", "x.py", False),
        ("agent007_1_2_x.py", "agent007_1", "1", "x.py", False),
        ("muster_10000000000123_2_x.py", "muster_10000000000123", "10000000000123", "x.py", False),
    ],
)
def test_names_of_canvas(name, key, user, file, late):
    piece = canvas.readings_of(name)[0]
    (owner,) = piece.owners
    assert (owner.key, owner.id, piece.name, piece.late) == (key, user, file, late)


@pytest.mark.parametrize(
    "name", ["softmax.py", "hw_1_softmax.py", "12_34_x.py", "a b_1_2_x.py", ""]
)
def test_what_canvas_does_not_make(name):
    assert canvas.readings_of(name) == []


def test_a_students_own_numbers_are_no_resubmissions(read):
    found, _ = read({"a_1_10_part-1.py": SOFTMAX, "a_1_11_part-2.py": "x = 1\n"})
    assert {path.name for path in found["a_1"].path.iterdir()} == {"part-1.py", "part-2.py"}


def test_files_whose_order_is_unclear_are_for_a_person(read):
    """By its name the one is the later, by Canvas' own number the other."""
    found, _ = read({"a_1_99_softmax.py": "a = 1\n", "a_1_10_softmax-1.py": "b = 1\n"})
    assert len(list(found["a_1"].path.iterdir())) == 2


@pytest.mark.parametrize("zipped", [False, True])
def test_moodle(read, zipped):
    found, notes = read(MOODLE, zipped=zipped)
    assert list(found) == [
        "Ann van der Berg_2002",
        "Anna Muster_2003",
        "Anna Muster_2004",
        "Group A_77",
        "Jörg Müller_2001",
        "Nobody Here_2005",
    ]
    assert notes == ["Read as a download of Moodle: 7 entries."]
    both = found["Jörg Müller_2001"]
    assert set(os.listdir(both.path)) >= {"softmax.py", "sub"}
    assert len(both.hand_in.entries) == 2
    assert text_of(both) == SOFTMAX
    assert text_of(found["Ann van der Berg_2002"]) == SOFTMAX
    assert read_work(found["Nobody Here_2005"], EXERCISES).sources == {}


def test_moodle_flat(read):
    found, _ = read(MOODLE_FLAT)
    assert text_of(found["Jörg Müller_2001"]) == SOFTMAX
    assert os.listdir(found["Ann van der Berg_2002"].path) == ["my_softmax_2.py"]


@pytest.mark.parametrize("zipped", [False, True])
def test_gradescope(read, zipped):
    found, notes = read(GRADESCOPE, zipped=zipped)
    assert list(found) == ["3001", "3002", "3003", "empty@example.org", "submission_99"]
    first = found["3001"]
    assert first.path.name == "submission_1"
    assert first.notes == ("An earlier attempt was left out: only the last one counts.",)
    assert first.hand_in.at == "2027-02-05T21:10:00.123456+00:00"
    assert first.hand_in.email == "joerg@example.org"
    assert found["3002"].path == found["3003"].path
    assert found["3002"].notes == ("Handed in together with Bo Chen.",)
    assert found["3002"].hand_in.at == "2027-02-06T01:00:00+00:00"
    assert "1 entry of a folder for each student (submission_99)" in notes[0]


def test_an_export_around_the_folders_is_no_students_folder(read, monkeypatch):
    """What one student may pack is bounded; a whole class is more."""
    monkeypatch.setattr("autograder.submission.archive.MAX_STUDENT_ENTRIES", 2)
    found, _ = read(GRADESCOPE, zipped=True)
    assert all(text_of(found[student]) == SOFTMAX for student in ("3001", "3002", "3003"))


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "a: [", "a: !!python/name:os.system x\n"])
def test_metadata_of_gradescope_that_are_none(read, text):
    with pytest.raises(UserError, match=r"submission_metadata\.yml"):
        read({"submission_metadata.yml": text, "submission_1/softmax.py": SOFTMAX})


@pytest.mark.parametrize("zipped", [False, True])
def test_blackboard(read, zipped):
    found, notes = read(BLACKBOARD, zipped=zipped)
    assert list(found) == ["evil", "jmueller", "words"]
    last = found["jmueller"]
    assert text_of(last) == SOFTMAX
    assert os.listdir(last.path) == ["softmax.py"]  # by the note of its own attempt
    assert last.hand_in.name == "Jörg Müller"
    assert (last.hand_in.at, last.hand_in.at_from) == ("2027-02-05T23:10:00", "Blackboard")
    assert last.notes == ("An earlier attempt was left out: only the last one counts.",)
    assert os.listdir(found["evil"].path) == ["passwd.py"]
    assert read_work(found["words"], EXERCISES).sources == {}
    assert len(notes) == 1


def test_brightspace(read):
    found, notes = read(BRIGHTSPACE)
    assert list(found) == ["Ann van der Berg_502", "Anne-Marie O'Neil_503", "Jörg Müller_501"]
    mine = found["Jörg Müller_501"]
    assert text_of(mine) == SOFTMAX
    assert set(os.listdir(mine.path)) == {"softmax.py", "other.py"}
    assert mine.hand_in.at == "2027-02-05T23:10:00"
    assert mine.notes == ("softmax.py was left out: the same file was handed in later.",)
    assert found["Ann van der Berg_502"].hand_in.at == "2027-02-04T23:10:00"
    assert found["Anne-Marie O'Neil_503"].hand_in.at == "2027-02-03T00:00:00"
    assert notes == ["Read as a download of Brightspace: 5 entries."]


def test_nbgrader(read):
    found, notes = read({f"submitted/{path}": text for path, text in NBGRADER.items()})
    assert found["jmueller"].hand_in.at == "2027-02-05T22:10:00.123456+01:00"
    assert found["aberg"].hand_in.at == "2027-02-05T21:10:00.123456+00:00"
    assert notes == ["Read as a download of nbgrader's submitted folder: 2 entries."]


@pytest.mark.parametrize("zipped", [False, True])
def test_repositories(read, zipped):
    found, _ = read(REPOSITORIES, zipped=zipped)
    assert list(found) == ["ann-berg", "jmueller"]
    assert text_of(found["ann-berg"]) == SOFTMAX


def test_a_hyphen_alone_makes_no_repository(read):
    found, _ = read({"lab-1/softmax.py": SOFTMAX, "lab-2/softmax.py": SOFTMAX})
    assert list(found) == ["lab-1", "lab-2"]
    found, _ = read({}, platform="repositories")
    assert list(found) == ["1", "2"]
    assert prefix_of(["a-b", "a-c", "a-"]) == ""


def test_a_mixed_folder_is_said_to_be_mixed(read):
    found, notes = read(
        {
            "Jörg Müller_2001_assignsubmission_file/softmax.py": SOFTMAX,
            "Ann Berg_2002_assignsubmission_file/softmax.py": SOFTMAX,
            "s01/softmax.py": SOFTMAX,
            "causal_mask/causal_mask.py": SOFTMAX,
            "chenbo_7_8_softmax.py": SOFTMAX,
        }
    )
    assert list(found) == ["Ann Berg_2002", "Jörg Müller_2001", "chenbo_7", "s01"]
    assert notes[0] == (
        "The submissions are mixed: 2 entries of Moodle; 1 entry of Canvas (chenbo_7_8_softmax.py); "
        "1 entry of a folder for each student (s01). Each was read in the form of its platform."
    )
    assert (
        "The folder causal_mask belongs to no student: its name is that of an exercise" in notes[2]
    )


def test_named_platforms(read):
    with pytest.raises(UserError, match="No platform is called 'canva'. Did you mean canvas"):
        read(CANVAS, platform="canva")
    with pytest.raises(
        UserError, match="no submission in the form of Moodle. Expected folders such"
    ):
        read({}, platform="moodle")
    with pytest.raises(UserError, match="has no readable submission_metadata.yml"):
        read({}, platform="gradescope")


def test_plain_folders_stay_as_they_were(read):
    found, notes = read({"s1/softmax.py": SOFTMAX, "s2/softmax.py": SOFTMAX, "x.txt": "x"})
    assert [(f.student, f.hand_in) for f in found.values()] == [("s1", None), ("s2", None)]
    assert notes == ["x.txt was left out: it is not a folder."]


def test_links_stay_links_that_nobody_follows(read, tmp_path):
    (tmp_path / "download").mkdir()
    (tmp_path / "secret.py").write_text("SECRET = 1\n")
    (tmp_path / "download" / "a_1_2_softmax.py").symlink_to(tmp_path / "secret.py")
    found, _ = read({"a_1_3_causal_mask.py": SOFTMAX})
    work = read_work(found["a_1"], EXERCISES)
    assert "softmax" in work.unclear and "is a link" in work.unclear["softmax"]


class _Point:
    def __init__(self, name, made):
        self.name, self.value, self._made = name, "site:importer", made

    def load(self):
        return self._made()


def test_a_site_adds_its_own(read, monkeypatch):
    def moon(listing):
        return [piece for name in listing.files for piece in canvas.readings_of(name[5:])]

    known = dict(downloads.hooks(downloads.GROUP))

    def site(made):
        points = known | {"moon": _Point("moon", made)}
        monkeypatch.setattr(downloads, "hooks", lambda group: points)

    own = Importer(name="moon", title="Moonboard", expected="x", recognise=lambda _: 9, read=moon)
    site(lambda: own)
    assert downloads.named("moon") is own
    site(lambda: 3)
    with pytest.raises(UserError, match="'moon' .* is not an Importer of"):
        downloads.importers()
    site(lambda: 1 / 0)
    with pytest.raises(UserError, match="cannot be loaded: ZeroDivisionError"):
        read(CANVAS)


def test_times_that_are_none():
    from autograder.platforms.readers import time_of

    assert time_of("") is None
    assert time_of("yesterday noon UTC") is None
    assert time_of("2027-02-05 21:10:00 No/Where") is None
    assert time_of("2027-02-05 21:10:00 UTC") == datetime(2027, 2, 5, 21, 10, tzinfo=UTC)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("start", ["bergal_404_9001_", "Al Berg_404_assignsubmission_file/"])
def test_a_request_in_markdown_is_not_lost_on_the_way(read, start, zipped):
    files = {f"{start}softmax.py": SOFTMAX, f"{start}regrade_softmax.md": "请再看一次"}
    found, _ = read(files, zipped=zipped)
    (folder,) = found.values()
    assert read_work(folder, EXERCISES).requests == {"softmax": "请再看一次"}


@pytest.mark.parametrize(("platform", "counts"), [("repositories", False), ("folders", True)])
def test_a_starter_file_in_a_repository_is_not_handed_in(read, tmp_path, platform, counts):
    """Everybody's repository has them; a student who wrote nothing would have 0 points."""
    stub = "def softmax(x):\n    raise NotImplementedError\n"
    stubs = read_stubs(write_course(tmp_path / "course", {"softmax": 1}, stubs={"softmax": stub}))
    files = {"lab-al/softmax.py": stub, "lab-bo/softmax.py": SOFTMAX}
    work = [read_work(f, ["softmax"], stubs) for f in read(files, platform)[0].values()]
    assert [bool(each.sources) for each in work] == [counts, True]
    said = "Left out, since unchanged from the handed-out file: softmax.py."
    assert [said in each.notes for each in work] == [not counts, False]
