"""Two ids never become one: not on a page's name, not in a table, not in the journal."""

import csv
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.classroom.hand_ins import find_folders
from autograder.course.text import file_name, identity
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.submission.file_names import counts

# What makes different names alike: other scripts, case, blanks, marks, length, escaped forms.
PIECE = (
    st.sampled_from(["a", "A", "b", "_", "-", "--", ".", " ", "  ", "\t", "\u00a0", "é", "e\u0301"])
    | st.sampled_from(["É", "ß", "ss", "李", "王", "ﬁ", "fi", "ı", "i", "İ", "\u200d", "\u202e"])
    | st.sampled_from(["\x1b", "\\x1b", "\ud800", "'", "=", "+", "@", "con", "nul.txt", "student"])
    | st.sampled_from(["x" * 59, "x" * 120, "0x12345", "0x12346", "…", "(1)"])
)
NAME = st.lists(PIECE, max_size=5).map("".join)
MADE = st.sampled_from([file_name, identity, safe_cell])


@st.composite
def names(draw):
    """Names, and names that are what others of them are turned into, again and again."""
    found = draw(st.lists(NAME | st.text(max_size=8), min_size=2, max_size=6))
    for _ in range(draw(st.integers(0, 4))):
        found.append(draw(MADE)(draw(st.sampled_from(found))))
    return sorted(set(found))


@settings(max_examples=4 * settings.default.max_examples)
@given(names())
def test_names_of_files_stay_apart_also_without_case(found):
    made = [file_name(name) for name in found]
    assert len({name.casefold() for name in made}) == len(found)
    for name in made:
        assert name.isascii() and name.isprintable() and 0 < len(name) <= 100
        assert not set(name) & set('/\\:*?"<>| ') and not name.startswith((".", "-"))


@settings(max_examples=4 * settings.default.max_examples)
@given(names())
def test_ids_stay_apart_and_can_be_shown(found):
    made = [identity(name) for name in found]
    assert len(set(made)) == len(found)
    for name in made:
        assert "\n" not in name and "\x1b" not in name
        name.encode()


@settings(max_examples=4 * settings.default.max_examples)
@given(names())
def test_cells_of_a_table_stay_apart_and_can_be_read_back(found):
    made = [safe_cell(name) for name in found]
    assert len(set(made)) == len(found)
    assert [plain_cell(cell) for cell in made] == found
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in made)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names())
def test_folders_stay_apart_through_all_that_a_class_makes_of_them(tmp_path_factory, found):
    root = tmp_path_factory.mktemp("class")
    made = 0
    for name in [*found, "one", "two"]:
        path = os.fsencode(root) + b"/" + name.replace("/", "").encode("utf-8", "surrogatepass")
        try:
            os.mkdir(path)
        except (OSError, ValueError):  # no name for a folder, or the same without its slashes
            continue
        made += counts(name.replace("/", ""))
    folders, _ = find_folders(root, ["softmax"])
    students = [folder.student for folder in folders]
    assert len(set(students)) == len(folders) == made
    assert len({file_name(student).casefold() for student in students}) == made
    assert len({safe_cell(student) for student in students}) == made


def test_an_id_does_not_depend_on_who_else_is_in_the_class(tmp_path):
    (tmp_path / "a  b").mkdir()
    (tmp_path / "c").mkdir()
    alone = find_folders(tmp_path, ["softmax"])[0][0].student
    (tmp_path / "a b").mkdir()
    found = {folder.path.name: folder.student for folder in find_folders(tmp_path, ["softmax"])[0]}
    assert found["a  b"] == alone != found["a b"] == "a b"


def test_plain_ids_stay_as_they_are():
    for name in ("s1", "ann", "ann-marie_2.b", "0042", "a--b"):
        assert file_name(name) == identity(name) == safe_cell(name) == name
    for name in ("Müller, Åsa_4711_assignsubmission_file_", "李 四", "O'Neill", "a.b@c.edu"):
        assert identity(name) == safe_cell(name) == name


def test_a_typed_apostrophe_is_no_mark():
    assert [plain_cell(cell) for cell in ("'tis", "''", "'", "'=a", "=a")] == [
        "'tis",
        "''",
        "'",
        "=a",
        "=a",
    ]


def test_handouts_of_different_ids_never_share_a_folder(tmp_path):
    from autograder.cli.build import folder_name, read_students

    ids = ["a/b", "a_b", "a  b", "a b", "李/", "王/", ".x", "_x", file_name("a/b"), "\u200da", "a"]
    with (tmp_path / "ids.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[each] for each in ids])
    read = read_students(tmp_path / "ids.csv")
    folders = [folder_name(each) for each in read]
    assert read == ids
    assert len({identity(folder) for folder in folders}) == len(ids)
    assert all("/" not in folder and not folder.startswith(".") for folder in folders)
