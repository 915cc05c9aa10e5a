"""Names and notes in a download are others' words: nothing in them acts, or reaches a neighbour."""

import os
import time

from autograder.classroom.downloads import Listing, recognise
from autograder.classroom.hand_ins import hand_ins, shares
from autograder.classroom.submissions import read_work
from autograder.platforms.blackboard import BLACKBOARD
from tests.platforms.downloads import NOTE, SOFTMAX, put

ESCAPE = "\x1b[2J"


def read(root, tmp_path, **options):
    folders, notes, _ = hand_ins(root, ["softmax"], None, tmp_path / "scratch", **options)
    return {folder.student: folder for folder in folders}, notes


def test_escapes_and_markup_in_names(tmp_path):
    evil = f"{ESCAPE}<b>=1+1"
    files = {
        f"{evil}_1_assignsubmission_file/softmax.py": SOFTMAX,
        f"{ESCAPE}stranger.txt": "x",
    }
    found, notes = read(put(tmp_path / "in", files), tmp_path)
    (folder,) = found.values()
    said = [folder.student, folder.hand_in.name, *folder.hand_in.entries, *folder.notes, *notes]
    assert not any("\x1b" in text for text in said)
    assert len(notes) == 3


def test_a_real_name_that_is_none(tmp_path):
    """A note says what a file was called: nothing of it leads out of the student's folder."""
    entry = "HW_eve_attempt_2027-02-05-12-00-00_softmax.py"
    for number, original in enumerate(
        ["..", "../../x.py", "a\0b.py", "y" * 300 + ".py", "C:\\x\\.."]
    ):
        root = tmp_path / str(number)
        note = NOTE.format(name="Eve", user="eve", words="", original=original, file=entry)
        put(root, {entry: SOFTMAX, entry.replace("_softmax.py", ".txt"): note})
        folders, *_ = hand_ins(root, ["softmax"], None, tmp_path / f"scratch-{number}")
        (file,) = folders[0].path.iterdir()
        assert file.read_text() == SOFTMAX
        assert file.parent.parent == tmp_path / f"scratch-{number}"


def test_folders_that_are_put_together_follow_no_links(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "softmax.py").write_text("SECRET = 1\n")
    root = put(
        tmp_path / "in",
        {
            "A B_1_assignsubmission_file/x.py": "x = 1\n",
            "A B_1_assignsubmission_onlinetext/onlinetext.html": "x",
        },
    )
    os.symlink(tmp_path / "secret", root / "A B_1_assignsubmission_file" / "below")
    os.symlink(
        tmp_path / "secret" / "softmax.py", root / "A B_1_assignsubmission_file" / "softmax.py"
    )
    found, _ = read(root, tmp_path)
    work = read_work(found["A B_1"], ["softmax"])
    assert work.sources == {}
    assert "is a link" in work.unclear["softmax"]
    assert not any("SECRET" in str(note) for note in work.notes)


def test_an_entry_that_is_a_link_to_a_folder_is_nobodys(tmp_path):
    (tmp_path / "secret").mkdir()
    root = put(tmp_path / "in", {"A B_1_assignsubmission_file/softmax.py": SOFTMAX})
    os.symlink(tmp_path / "secret", root / "C D_2_assignsubmission_file")
    found, notes = read(root, tmp_path)
    assert list(found) == ["A B_1"]
    assert "C D_2_assignsubmission_file belongs to no student" in notes[-1]


def test_a_thousand_students_and_names_made_to_take_long(tmp_path):
    files = {f"muster{n:04}_{n}_{n}_softmax.py": "x" for n in range(1000)}
    files |= {("a_" * 120) + f"{n}.py": "x" for n in range(20)}
    files |= {"1" * 120 + "_" * 100 + f"{n}": "x" for n in range(20)}
    root = put(tmp_path / "in", files)
    start = time.process_time()
    found = recognise(Listing(root), ["softmax"])
    assert len(shares(found.pieces, ["softmax"])) == 1000
    assert len(found.not_understood) == 1 + 40
    assert BLACKBOARD.recognise(Listing(root)) == 0
    assert time.process_time() - start < 20
