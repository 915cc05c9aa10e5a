"""Attribution of downloaded files: students choose their names and their files', and gain nothing.

Each platform's names are built here as the platform builds them, from adversarial parts. No file may
reach another student; a file whose student is open is nobody's, and costs nobody else anything.
"""

import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.classroom.hand_ins import hand_ins
from autograder.classroom.roster import Roster
from autograder.classroom.submissions import read_work
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from tests.engine import ROOT
from tests.platforms.downloads import NOTE, packed, put

COURSE = load_course(ROOT / "course.yml")
EXERCISES = ["softmax", "causal_mask"]
IDS = {"bob": "202", "eve": "301", "al": "404"}
PARTS = [
    *(
        "_",
        "_",
        "_",
        " ",
        "-",
        ",",
        "LATE",
        "anon",
        "x",
        "eve",
        "al",
        "bob",
        "bobmuster",
        "Bob Muster",
    ),
    *("202", "301", "404", "7", "9001", "softmax.py", "causal_mask.py", "text.html", ".txt"),
    *("_202_9009_softmax.py", "bobmuster_202_9009_softmax.py", "_222_assignsubmission_file_"),
    *("Bob Muster_202_assignsubmission_file_softmax.py", "_attempt_2027-02-03-10-00-00"),
    *("HW 1_bob_attempt_2027-02-03-10-00-00_softmax.py", "_bob_attempt_2027-02-03-10-00-00.txt"),
    *(" - Feb 5, 2027 1110 PM - ", "202-77 - Bob Muster - Feb 5, 2027 1110 PM - softmax.py"),
]
NAMES = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map(
    lambda parts: "".join(parts).strip(" .") or "E"
)
FILES = st.lists(NAMES.map(lambda name: f"{name}.py"), min_size=1, max_size=3, unique=True)
TRIALS = settings(max_examples=settings.default.max_examples * 6 // 10, deadline=None)


def canvas(person, name, files):
    """As Canvas' `content_zipper.rb` makes them: only letters, digits and underscores in a name."""
    name = re.sub(r"_(\d+)_", r"\1", name).lower()
    start = "".join(
        char
        for char in f"{name}_{IDS[person]}"
        if char.isalnum() or unicodedata.category(char)[0] == "M" or char == "_"
    )
    return {
        f"{start}_{9000 + 10 * int(IDS[person]) + at}_{re.sub(r'[/:*?<>|]+', '_', file)}": file
        for at, file in enumerate(files)
    }


def moodle_flat(person, name, files):
    start = f"{name.replace('_', ' ')}_{IDS[person]}_assignsubmission_file"
    return {f"{start}_{file}": file for file in files}


def moodle_folders(person, name, files):
    start = f"{name.replace('_', ' ')}_{IDS[person]}_assignsubmission_file"
    return {f"{start}/{file}": file for file in files}


def blackboard(person, name, files):
    """The user name is the school's; the note beside an attempt lists the files."""
    start = f"HW 1_{IDS[person]}_attempt_2027-02-05-10-00-00"
    note = NOTE.format(
        name=name,
        user=IDS[person],
        words=f"{name}\n\tOriginal filename: softmax.py\n\tFilename: {files[-1]}\n",
        original=files[0],
        file=f"{start}_{files[0]}",
    )
    return {f"{start}_{file}": file for file in files} | {f"{start}.txt": note}


def blackboard_without_notes(person, name, files):
    return {entry: text for entry, text in blackboard(person, name, files).items() if text in files}


def brightspace(person, name, files):
    start = f"{IDS[person]}-77 - {name.strip()} - Feb 6, 2027 945 AM"
    return {f"{start} - {file}": file for file in files}


def plain(person, name, files):
    return {f"{person}/{file}": file for file in files}


def repositories(person, name, files):
    return {f"week-1-{person}/{file}": file for file in files} | {f"week-1-{person}/.git/HEAD": "x"}


def nbgrader(person, name, files):
    start = f"{person}/week-1"
    return {f"{start}/{file}": file for file in files} | {f"{start}/timestamp.txt": "x"}


FORMS = [
    *(canvas, moodle_flat, moodle_folders, blackboard, blackboard_without_notes, brightspace),
    *(plain, repositories, nbgrader),
]


def short(entries):
    """Whether a file system can hold all names."""
    return all(len(part.encode()) < 250 for entry in entries for part in entry.split("/"))


def class_of(form, people):
    """Make a download from {person: (display name, files)}; each file names its author."""
    download = {}
    for person, (name, files) in people.items():
        for entry, text in form(person, name, files).items():
            download[entry] = f"# by {person}\n" if text in files else text
    return download


def authors(folder):
    """Return whose files lie in a folder, by their names there."""
    found = {}
    for path in folder.path.rglob("*.py") if folder.path else ():
        if author := path.read_text().removeprefix("# by ").strip():
            found[path.name] = author
    return found


def graded(download, roster=None, platform=None):
    """Return the authors of the files of each folder that is graded, and the notes."""
    with tempfile.TemporaryDirectory() as made:
        root = put(Path(made, "in"), download)
        enrolled = None
        if roster is not None:
            Path(made, "roster.csv").write_text(roster)
            enrolled = Roster(Path(made, "roster.csv"), COURSE)
        scratch = Path(made, "scratch")
        folders, notes, _ = hand_ins(root, EXERCISES, enrolled, scratch, platform=platform)
        return [(folder, authors(folder)) for folder in folders if not folder.unclear], notes


def student_of(folder):
    """Return the person whom a folder without a roster is: by the platform's id, or by name."""
    ids = {number: person for person, number in IDS.items()}
    number = folder.hand_in.platform_id if folder.hand_in else ""
    return ids.get(number, number or folder.student.removeprefix("week-1-"))


@pytest.mark.parametrize("form", FORMS)
@TRIALS
@given(name=NAMES, files=FILES, more=FILES)
def test_no_file_reaches_another_student(form, name, files, more):
    people = {"bob": ("Bob Muster", ["softmax.py"]), "al": ("Al Berg", more), "eve": (name, files)}
    download = class_of(form, people)
    if not short(download):
        return
    folders, notes = graded(download)
    for folder, files_of in folders:
        assert set(files_of.values()) <= {student_of(folder)}, (folder, notes)
    (bob,) = [set(files_of.values()) for folder, files_of in folders if student_of(folder) == "bob"]
    assert bob == {"bob"}, notes


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_alone", [False, True])
@TRIALS
@given(name=NAMES, files=FILES, with_ids=st.booleans())
def test_no_file_reaches_another_student_of_the_roster(form, is_alone, name, files, with_ids):
    people = {} if is_alone else {"bob": ("Bob Muster", ["softmax.py"])}
    people |= {"eve": (name, files)}
    download = class_of(form, people)
    if not short(download):
        return
    platform = form.__name__.partition("_")[0]
    numbers = form not in (plain, repositories, nbgrader)
    column = platform if numbers and (with_ids or is_alone) else "section"
    rows = [
        f"{person},{known},{IDS[person]}"
        for person, known in (("bob", "Bob Muster"), ("eve", "Eve Adams"), ("al", "Al Berg"))
    ]
    folders, notes = graded(download, "\n".join([f"id,name,{column}", *rows, ""]))
    for folder, files_of in folders:
        person = folder.student if folder.hand_in.enrolled else student_of(folder)
        assert set(files_of.values()) <= {person}, (folder, notes)


@TRIALS
@given(files=FILES, sid=st.sampled_from(["", "202", "301"]), name=NAMES)
def test_gradescope(files, sid, name):
    """The metadata say whose a folder is; a number or a name that two people have is nobody's."""
    metadata = "".join(
        f"submission_{at}:\n  :submitters:\n  - :name: {named!r}\n    :sid: {number!r}\n"
        f"    :email: {person}@x.org\n"
        for at, (person, named, number) in enumerate(
            [("bob", "Bob Muster", "202"), ("eve", name, sid)]
        )
    )
    download = {"submission_metadata.yml": metadata, "submission_0/softmax.py": "# by bob\n"}
    download |= {f"submission_1/{file}": "# by eve\n" for file in files}
    if not short(download):
        return
    folders, notes = graded(download)
    for folder, files_of in folders:
        assert set(files_of.values()) <= {folder.hand_in.email.partition("@")[0]}
    if sid == "202":
        assert any("Bob Muster" in note and "submission_1" in note for note in notes)


def test_blackboard_file_that_is_called_as_anothers_attempt():
    first = "HW 1_bob_attempt_2027-02-02-10-00-00"
    own = "HW 1_eve_attempt_2027-02-02-11-00-00"
    forged = "x_bob_attempt_2027-02-03-10-00-00_softmax.py"
    folders, notes = graded(
        {
            f"{first}_softmax.py": "# by bob\n",
            f"{own}_softmax.py": "# by eve\n",
            f"{own}_{forged}": "# by eve\n",
        }
    )
    assert [(folder.student, files) for folder, files in folders] == [
        ("bob", {"softmax.py": "bob"}),
        ("eve", {"softmax.py": "eve", forged: "eve"}),
    ]
    assert len(notes) == 1


def test_blackboard_user_names_with_underscores():
    date = "attempt_2027-02-02-10-00-00"
    note = NOTE.format(name="Al", user="al_bob", words="", original="", file="")
    folders, _ = graded(
        {
            f"HW_al_bob_{date}_softmax.py": "# by al\n",
            f"HW_al_bob_{date}.txt": note,
            f"HW_bob_{date}_softmax.py": "# by bob\n",
        }
    )
    assert [folder.student for folder, _ in folders] == ["al_bob", "bob"]
    folders, notes = graded(
        {
            f"HW_al_bob_{date}_softmax.py": "# by al\n",
            f"HW_bob_{date}_softmax.py": "# by bob\n",
        }
    )
    assert folders == []
    assert any("may be bob's or HW_al_bob's" in note for note in notes)


CANVAS_EVE = {"eve_202_301_9001_softmax.py": "# by eve\n"}
CANVAS_BOB = {"bobmuster_202_9002_softmax.py": "# by bob\n"}


def test_canvas_name_with_anothers_number():
    folders, _ = graded(CANVAS_EVE | CANVAS_BOB)
    assert {folder.hand_in.platform_id: files for folder, files in folders} == {
        "202": {"softmax.py": "bob"},
        "301": {"softmax.py": "eve"},
    }
    folders, notes = graded(CANVAS_EVE | {"alberg_404_9003_softmax.py": "# by al\n"})
    assert [folder.student for folder, _ in folders] == ["alberg_404"]
    assert "eve_202_301_9001_softmax.py may be eve_202's or eve_202_301's." in notes


def test_canvas_numbers_in_the_roster_settle_whose_a_file_is():
    honest = {"alberg_404_9003_2_softmax.py": "# by al\n"}
    folders, notes = graded(honest)
    assert folders == []
    assert "1 entry not graded, since each may belong to several students:" in notes
    folders, _ = graded(honest, "id,canvas\nbob,202\neve,301\nal,404\n")
    assert [files for folder, files in folders if folder.student == "al"] == [
        {"2_softmax.py": "al"}
    ]


def test_a_disputed_file_is_no_missing_work():
    """Bob and Eve may have written it: both need a person, and neither has handed in nothing."""
    folders, notes = graded(CANVAS_EVE, "id,canvas\nbob,202\neve,301\nal,404\n")
    assert [folder.student for folder, _ in folders] == ["al"]
    assert any("handed in nothing: al." in note for note in notes)


def test_a_name_that_two_have_costs_the_others_nothing():
    download = class_of(
        moodle_folders,
        {
            "bob": ("Bob Muster", ["softmax.py"]),
            "eve": ("Bob Muster", ["softmax.py"]),
            "al": ("Al Berg", ["softmax.py"]),
        },
    )
    folders, notes = graded(download, "id,name\nbob,Bob Muster\neve,Eve Adams\nal,Al Berg\n")
    assert [(f.student, files) for f, files in folders if files] == [("al", {"softmax.py": "al"})]
    assert any(
        "Each of Bob Muster_202, Bob Muster_301 may be the student bob." in note for note in notes
    )


def test_a_number_of_one_and_the_name_of_another():
    """Moodle's numbers are of one assignment, so one may be another student's id."""
    download = {"Eve Adams_7_assignsubmission_file/softmax.py": "# by eve\n"}
    folders, notes = graded(download, "id,name\n7,Bob Muster\n8,Eve Adams\n9,Al Berg\n")
    assert [folder.student for folder, _ in folders] == ["9"]
    assert any("By id, Eve Adams_7 may be any of the students 7, 8." in note for note in notes)


def test_two_platforms_read_one_file():
    """Of Brightspace by its beginning, of Blackboard by the rest: nobody gets it unless it is said."""
    entry = "301-77 - Eve - Feb 5, 2027 945 AM - x_bob_attempt_2027-02-03-10-00-00_softmax.py"
    folders, notes = graded({entry: "# by eve\n"})
    assert folders == []
    assert any("bob's" in note and "Eve_301's" in note for note in notes)


def test_a_subfolder_with_five_students():
    files = {f"s{n}/softmax.py": "x" for n in range(3)}
    files |= {f"group B/t{n}/softmax.py": "x" for n in range(5)}
    folders, _ = graded(files)
    assert [folder.student for folder, _ in folders] == ["s0", "s1", "s2"]
    with tempfile.TemporaryDirectory() as made:
        root = put(Path(made, "in"), files)
        every, *_ = hand_ins(root, EXERCISES, None, Path(made, "scratch"))
    assert "may belong to one student, or hold the folders of several: t0, t1" in every[0].unclear


def test_a_folder_of_an_enrolled_student_is_no_download():
    files = {"eve/bobmuster_202_9001_softmax.py": "# by eve\n"}
    folders, _ = graded(files, "id,canvas\nbob,202\neve,301\n")
    assert [folder.student for folder, files in folders if files] == ["eve"]
    folders, _ = graded({"eve/bob/causal.py": "# by eve\n"}, "id\nbob\neve\n")
    assert [folder.student for folder, files in folders if files] == ["eve"]


def test_a_folder_of_an_enrolled_student_is_no_download_of_the_named_platform():
    files = {"eve/bobmuster_202_9001_softmax.py": "# by eve\n"}
    with pytest.raises(UserError, match="holds no submission in the form of Canvas"):
        graded(files, "id,canvas\nbob,202\neve,301\n", platform="canvas")
    folders, _ = graded(files, "id,canvas\nbob,202\n", platform="canvas")
    assert [folder.student for folder, files in folders if files] == ["bob"]


def test_an_enrolled_students_folders_are_versions():
    versions = {f"bob/v{n}/softmax.py": f"x = {n}" for n in range(3)} | {"al/softmax.py": "x"}
    folders, _ = graded(versions, "id,name\nbob,Bob Muster\nal,\n")
    assert [folder.student for folder, _ in folders] == ["al", "bob"]
    strangers, _ = graded(versions, "id\nal\n")
    assert [folder.student for folder, _ in strangers] == ["al"]
    named = {path.replace("bob/", "Bob Muster/"): text for path, text in versions.items()}
    folders, _ = graded(named, "id,name\nbob,Bob Muster\nal,\n", platform="folders")
    assert [folder.student for folder, _ in folders] == ["al", "bob"]


def test_zips_beside_a_flat_file():
    """One file from an e-mail does not make the zips nobody's."""
    with tempfile.TemporaryDirectory() as made:
        root = put(Path(made, "in"), {"old_softmax.py": "# by old\n"})
        for student in ("anna", "ben", "cleo"):
            packed(root / f"{student}.zip", {"softmax.py": f"# by {student}\n"})
        folders, _, is_open = hand_ins(root, EXERCISES, None, Path(made, "scratch"))
        assert [folder.student for folder in folders] == ["anna", "ben", "cleo", "old"]
        assert not is_open
        for folder in folders:
            text = read_work(folder, EXERCISES).sources["softmax"].text
            assert text == f"# by {folder.student}\n"


def test_notes_have_one_order(root):
    """Sets of texts have another order in each process."""
    program = """
from autograder.classroom.downloads import PLAIN, Owner, Piece, _without_shared_keys, disputes
owners = tuple(Owner(key=f"k{n}", id=f"{m}", name="N") for n in range(6) for m in range(2))
pieces = [(PLAIN, Piece(entry="e", owners=owners))]
print(disputes(_without_shared_keys(pieces)[1]))
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(said) == 1


def test_one_id_of_three_platforms():
    late = "HW_bob_attempt_2027-02-02-10-00-00_softmax.py"
    download = {
        "bob_assignsubmission_file/softmax.py": "# by bob\n",
        "bob/softmax.py": "# by bob\n",
        "al/softmax.py": "# by al\n",
        late: "# by bob\n",
    }
    with tempfile.TemporaryDirectory() as made:
        root = put(Path(made, "in"), download)
        folders, notes, is_open = hand_ins(root, EXERCISES, None, Path(made, "scratch"))
    bob = next(folder for folder in folders if folder.student == "bob")
    assert is_open and bob.unclear and bob.path is None
    assert bob.hand_in.entries == (late, "bob", "bob_assignsubmission_file")
    assert (bob.hand_in.platform, bob.hand_in.at) == ("", "")
    assert any(
        "bob is the name of 3 submissions, from blackboard, folders and moodle." in n for n in notes
    )


def test_a_hidden_entry_of_a_download_is_named():
    download = {
        "Al Berg_404_assignsubmission_file/softmax.py": "# by al\n",
        ".Eve_301_assignsubmission_file/softmax.py": "# by eve\n",
        "._Al Berg_404_assignsubmission_file/softmax.py": "x",
        ".DS_Store": "x",
    }
    folders, notes = graded(download)
    assert [folder.hand_in.name for folder, _ in folders] == ["Al Berg"]
    (note,) = [note for note in notes if "hidden" in note]
    assert note.startswith("1 hidden entry not graded")
    assert ".Eve_301_assignsubmission_file." in note
    _, notes = graded({"al/softmax.py": "x", ".eve/softmax.py": "x", ".gitignore": "x"})
    assert [note for note in notes if "hidden" in note] == [
        note.replace(".Eve_301_assignsubmission_file", ".eve")
    ]


@pytest.mark.parametrize(
    ("entries", "at"),
    [
        (["301-77 - Eve - Feb 1, 2027 900 AM - Feb 6, 2027 945 AM - softmax.py"], 6),
        (["301-77 - Eve - Feb 1, 2027 900 AM - Feb 6, 2027 945 AM"], 6),
        (["301-77 - Eve - Feb 6, 2027 945 AM - Feb 1, 2027 900 AM - softmax.py"], 6),
        (
            [
                "301-77 - Eve - Feb 6, 2027 945 AM - softmax.py",
                "301-77 - Eve - Feb 6, 2027 945 AM - Feb 9, 2027 900 AM - notes.py",
            ],
            6,
        ),
    ],
)
def test_brightspace_times_are_the_platforms(entries, at):
    """A display name and a file's name may have dates in them, too."""
    files = {f"{entry}/softmax.py" if entry.endswith("AM") else entry: "x" for entry in entries}
    ((folder, _),), _ = graded(files)
    assert folder.hand_in.at == f"2027-02-0{at}T09:45:00"


def test_flat_files_from_e_mails():
    folders, notes = graded(
        {
            "alogin_softmax.py": "# by al\n",
            "alogin_causal_mask.ipynb": "{}",
            "b_login_softmax.py": "# by bob\n",
            "letter.pdf": "x",
        }
    )
    assert [(folder.student, files) for folder, files in folders] == [
        ("alogin", {"softmax.py": "al"}),
        ("b_login", {"softmax.py": "bob"}),
    ]
    assert notes[-1].startswith("The file letter.pdf belongs to no student")


def test_a_flat_file_that_may_be_of_two_logins():
    download = {"bob_causal_mask.py": "# by bob\n", "al_softmax.py": "# by al\n"}
    with tempfile.TemporaryDirectory() as made:
        root, scratch = put(Path(made, "in"), download), Path(made, "scratch")
        exercises = ["mask", "causal_mask", "softmax"]
        folders, notes, is_open = hand_ins(root, exercises, None, scratch)
        assert [folder.student for folder in folders] == ["al"]
        assert "bob_causal_mask.py may be bob_causal's or bob's." in notes
        assert is_open
        Path(made, "roster.csv").write_text("id\nbob\nal\n")
        roster = Roster(Path(made, "roster.csv"), COURSE)
        folders, *_ = hand_ins(root, exercises, roster, Path(made, "again"))
        assert [folder.student for folder in folders if folder.path] == ["al", "bob"]
