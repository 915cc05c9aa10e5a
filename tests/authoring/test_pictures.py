"""Pictures in a text: a notebook carries them, and `build` refuses what nobody could see."""

import base64
import json

import pytest

from autograder.authoring.build import (
    MAX_PICTURE,
    as_book,
    build_exercise,
    pictures_in,
    pictures_of,
    require_lesson,
)
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.nbgrader.directory import source_notebook
from tests.student.course import make_course

PNG = b"\x89PNG not a real one"
TEXT = """# %% [markdown]
# # Sorting
#
# ![Three bars, the
# shortest first.](figures/bars.png)
#
# ![Elsewhere](https://example.org/x.png) ![Above](../x.png)

"""


@pytest.fixture
def course(tmp_path):
    folder = make_course(tmp_path)
    solution = folder / "solutions" / "sorting.py"
    solution.write_text(TEXT + "\n# %%\n" + solution.read_text())
    (folder / "exercises" / "figures").mkdir()
    (folder / "exercises" / "figures" / "bars.png").write_bytes(PNG)
    return load_course(folder / "course.yml")


def test_only_files_beside_the_students_are_carried():
    assert pictures_in(TEXT) == ["figures/bars.png"]


def test_a_notebook_carries_its_picture_and_a_script_its_words(course):
    exercise = course.exercise("sorting")
    files = {path.suffix: text for path, text in build_exercise(course, exercise).items()}
    for book in (files[".ipynb"], source_notebook(course, exercise)):
        first = json.loads(book)["cells"][0]
        data = first["attachments"]["bars.png"]["image/png"]
        assert base64.b64decode(data) == PNG
        assert "shortest first.](attachment:bars.png)" in "".join(first["source"])
    assert "# shortest first.](figures/bars.png)" in files[".py"]
    assert pictures_of(course, files.values()) == {"figures/bars.png": PNG}


def test_without_the_file_the_link_stays(course):
    (course.handed_out / "figures" / "bars.png").unlink()
    (first,) = as_book(TEXT, course.handed_out).cells
    assert "](figures/bars.png)" in first["source"] and "attachments" not in first


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("missing", "does not exist: expected it at"),
        ("large", "at most 60,000 are allowed"),
        ("undescribed", "has no description"),
        ("kind", "not a kind of picture that a notebook can hold"),
    ],
)
def test_build_refuses_what_nobody_could_see(course, slip, said):
    file, solution = course.handed_out / "figures" / "bars.png", course.solution_file("sorting")
    require_lesson(course, course.exercise("sorting"))
    if slip == "missing":
        file.unlink()
    elif slip == "large":
        file.write_bytes(b"x" * (MAX_PICTURE + 1))
    elif slip == "undescribed":
        text = solution.read_text().replace("Three bars, the\n# shortest first.", " ")
        solution.write_text(text)
    else:
        solution.write_text(solution.read_text().replace("bars.png", "bars.bmp"))
    with pytest.raises(UserError, match=f"sorting.py shows figures/bars.*{said}"):
        require_lesson(course, course.exercise("sorting"))
