"""A class's folders: who handed in what, whatever the names and files are like."""

import os

import pytest

from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.course.errors import UserError

EXERCISES = ["softmax", "causal_mask"]


def work(folder, student="s1"):
    folders, _ = find_folders(folder, EXERCISES)
    return read_work(next(f for f in folders if f.student == student), EXERCISES)


def put(folder, path, text="x = 1\n"):
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def test_folders_in_order_and_what_else_lies_there(tmp_path):
    for name in ("s2/softmax.py", "s1/softmax.py", "notes.txt", "__MACOSX/x", ".git/x"):
        put(tmp_path, name)
    os.symlink(tmp_path / "s1", tmp_path / "s3")
    folders, notes = find_folders(tmp_path, EXERCISES)
    assert [folder.student for folder in folders] == ["s1", "s2"]
    assert notes == [
        "notes.txt was left out: it is not a folder.",
        "s3 was left out: it is not a folder.",
    ]


def test_a_folder_around_the_folders(tmp_path):
    put(tmp_path, "class/s1/softmax.py")
    put(tmp_path, "class/s2/softmax.py")
    folders, notes = find_folders(tmp_path, EXERCISES)
    assert [folder.student for folder in folders] == ["s1", "s2"]
    assert notes == [
        "class was read as the folder of the whole class, since it is the only one and "
        "holds only folders."
    ]


def test_each_folder_around_them_is_named(tmp_path):
    put(tmp_path, "course/class/s1/softmax.py")
    put(tmp_path, "course/class/s2/softmax.py")
    _, notes = find_folders(tmp_path, EXERCISES)
    assert [note.split(" was read")[0] for note in notes] == ["course", "class"]


def test_a_lone_student_is_no_folder_around_others(tmp_path):
    """What is called after exercises are parts of one student's work."""
    for number, parts in enumerate(
        [("softmax", "causal_mask"), ("hw1_softmax", "rest"), ("Softmax (1)", "Causal Mask")]
    ):
        for part in parts:
            put(tmp_path, f"{number}/s1/{part}/softmax.py")
        folders, notes = find_folders(tmp_path / str(number), EXERCISES)
        assert [folder.student for folder in folders] == ["s1"]
        assert notes == []


def test_a_student_among_others_is_never_taken_apart(tmp_path):
    for part in ("s2", "s3"):
        put(tmp_path, f"s1/{part}/softmax.py")
    put(tmp_path, "s2/softmax.py")
    folders, notes = find_folders(tmp_path, EXERCISES)
    assert [folder.student for folder in folders] == ["s1", "s2"]
    assert notes == []


def test_files_below_and_names_nearly_right(tmp_path):
    put(tmp_path, "s1/hw1/softmax.py")
    put(tmp_path, "s1/Causal Mask (2).py")
    put(tmp_path, "s1/my_attention.py")
    found = work(tmp_path)
    assert set(found.sources) == {"softmax", "causal_mask"}
    assert found.notes == [
        "my_attention.py was not graded: no exercise has that name.",
        "Causal Mask (2).py was graded for causal_mask.",
    ]


def test_several_files_for_one_exercise(tmp_path):
    put(tmp_path, "s1/softmax.py")
    put(tmp_path, "s1/softmax.ipynb", "{}")
    found = work(tmp_path)
    assert found.sources == {}
    assert found.unclear == {
        "softmax": "There are several files for softmax: softmax.ipynb, softmax.py."
    }


def test_an_exact_name_wins_over_a_copy(tmp_path):
    put(tmp_path, "s1/softmax.py", "right = 1")
    put(tmp_path, "s1/softmax (1).py", "wrong = 1")
    assert work(tmp_path).sources["softmax"].text == "right = 1"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: os.symlink("/etc/passwd", p), "is a link"),
        (lambda p: p.write_bytes(b"# \xfcbung"), "not UTF-8"),
        (lambda p: p.write_bytes(b"x" * (1024 * 1024 + 1)), "larger than 1024 KiB"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, make, said):
    put(tmp_path, "s1/causal_mask.py")
    make(tmp_path / "s1" / "softmax.py")
    found = work(tmp_path)
    assert said in found.unclear["softmax"]
    assert "causal_mask" in found.sources


def test_pipes_and_folders_in_place_of_files_do_not_block(tmp_path):
    put(tmp_path, "s1/causal_mask.py")
    os.mkfifo(tmp_path / "s1" / "softmax.py")
    (tmp_path / "s1" / "softmax.ipynb").mkdir()
    assert set(work(tmp_path).sources) == {"causal_mask"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "its JSON is damaged"),
        ('{"cells": [', "its JSON is damaged"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "its JSON is damaged"),
        ("[" * 100_000, "its JSON is damaged"),
        ('{"worksheets": []}', "nbformat 3"),
        ('{"cells": [{"cell_type": "code", "source": "' + "x" * 1_100_000 + '"}]}', "over 1 MiB"),
    ],
)
def test_notebooks_that_cannot_be_read(tmp_path, text, said):
    put(tmp_path, "s1/softmax.ipynb", text)
    assert said in work(tmp_path).unclear["softmax"]


def test_a_notebooks_code_cells(tmp_path):
    put(
        tmp_path,
        "s1/softmax.ipynb",
        '{"cells": [{"cell_type": "markdown", "source": "text"},'
        '{"cell_type": "code", "source": ["a = 1\\n", "b = 2"]},'
        '{"cell_type": "code", "source": "c = 3"}]}',
    )
    units = work(tmp_path).sources["softmax"].units
    assert [(unit.label, unit.text) for unit in units] == [
        ("code cell 1", "a = 1\nb = 2"),
        ("code cell 2", "c = 3"),
    ]


def test_names_that_could_do_harm(tmp_path):
    for name in ("a\x1b[31mred", "b\nnewline", "<script>alert(1)</script>", "=cmd()"):
        (tmp_path / name.replace("/", "_")).mkdir()
    os.mkdir(os.fsencode(tmp_path) + b"/\xff\xfe")
    folders, _ = find_folders(tmp_path, EXERCISES)
    names = [folder.student for folder in folders]
    assert len(set(names)) == 5
    assert all(name.isprintable() for name in names)
    for name in names:
        name.encode("utf-8")


def test_two_names_that_look_the_same_stay_apart(tmp_path):
    (tmp_path / "a  b").mkdir()
    (tmp_path / "a b").mkdir()
    folders, _ = find_folders(tmp_path, EXERCISES)
    assert len({folder.student for folder in folders}) == 2


def test_what_is_no_class(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        find_folders(tmp_path / "nowhere", EXERCISES)
    with pytest.raises(UserError, match="holds no folders"):
        find_folders(tmp_path, EXERCISES)
    put(tmp_path, "softmax.py")
    with pytest.raises(UserError, match="looks like the folder of one student"):
        find_folders(tmp_path, EXERCISES)


def test_an_empty_folder(tmp_path):
    (tmp_path / "s1").mkdir()
    (tmp_path / "s2").mkdir()
    found = work(tmp_path)
    assert (found.sources, found.unclear, found.notes) == ({}, {}, [])


def test_a_crowd_of_other_files_is_counted_not_listed(tmp_path):
    for number in range(300):
        put(tmp_path, f"s1/{number}.py")
    put(tmp_path, "s1/softmax.py")
    found = work(tmp_path)
    assert set(found.sources) == {"softmax"}
    assert len(found.notes) == 6
    assert found.notes[-1].startswith("295 more files not graded either")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["Übung 1.pdf"], ["Nothing can be graded in Übung 1.pdf."]),
        (
            ["onlinetext.html", "a/essay.txt"],
            ["Nothing can be graded in onlinetext.html, a/essay.txt."],
        ),
        (
            ["softmax.pdf"],
            ["softmax.pdf was not graded for softmax: it is not a .py or .ipynb file."],
        ),
        (["softmax.py", "data.pdf"], []),
        ([], []),
    ],
)
def test_who_handed_in_only_what_cannot_be_graded_is_told_so(tmp_path, files, said):
    (tmp_path / "s1").mkdir()
    for file in files:
        put(tmp_path, f"s1/{file}")
    assert work(tmp_path).notes == said


@pytest.mark.parametrize("name", ["softmax_regrade.py.txt", "regrade_softmax.txt"])
def test_code_that_is_called_like_a_request_is_graded(tmp_path, name):
    put(tmp_path, f"s1/{name}", "def softmax(x):\n    return x\n")
    read = work(tmp_path)
    assert read.sources["softmax"].label == name and read.requests == {}
    assert f"{name} was read as code, not as a regrade request." in read.notes


def test_words_are_a_request_and_a_note_says_so(tmp_path):
    put(tmp_path, "s1/softmax_regrade.txt", "Reason: B is right.\n")
    read = work(tmp_path)
    assert read.requests == {"softmax": "Reason: B is right."} and read.sources == {}
    said = "softmax_regrade.txt was read as a regrade request, not as code."
    assert said in read.notes


@pytest.mark.parametrize(
    ("name", "data", "kept"),
    [
        ("regrade_softmax.txt", b"B is right. " * 500, "B is right. B is"),
        ("regrade_softmax.md", "é".encode() * 2501, "é" * 2500 + " … (only the first 5,000 bytes"),
        ("regrade_softmax.txt", "B is right: é".encode("utf-16"), "B is right: é"),
        ("regrade.txt", b"B is right", "regrade.txt: B is right"),
        ("regrade_softmax_causal_mask.txt", b"B is", "regrade_softmax_causal_mask.txt: B is"),
    ],
)
def test_no_request_is_lost(tmp_path, name, data, kept):
    put(tmp_path, f"s1/{name}").write_bytes(data)
    put(tmp_path, "s1/softmax.py")
    request = work(tmp_path).requests["softmax"]
    assert request.startswith(kept) and len(request.encode()) < 5100
    assert request.endswith("(only the first 5,000 bytes are kept)") == (len(data) > 5000)
