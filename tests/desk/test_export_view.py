"""Exports from the desk are those of the command line, byte for byte."""

import io
import re
import zipfile

import pytest
from click.testing import CliRunner

from autograder.cli import app
from tests.desk.conftest import text_of

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,{title} (1)
    Points Possible,,,,,{points:g}
"{name}",11,{student},{student}@uni.example,Monday,
"""


def made(client, post, **fields):
    """The file that was made, and the page that offers it."""
    page = post(client, "/export/make", **fields)
    assert page.status_code == 200, text_of(page)
    return client.get(re.search(r'href="(/export/[^"]+/file)"', page.text)[1]), page


def test_a_gradebook_is_that_of_the_command(desk, results, course, post, tmp_path):
    given = tmp_path / "canvas.csv"
    given.write_text(
        CANVAS.format(
            title="Total",
            points=sum(e.points for e in course.exercises.values()),
            name="X",
            student="u0000",
        ),
        encoding="utf-8",
    )
    out = tmp_path / "out.csv"
    words = ["export", "canvas", str(results), "--template", str(given), "--out", str(out)]
    done = CliRunner().invoke(app, [*words, "--column", "Total (1)", "--course", str(course.root)])
    assert out.exists(), done.output
    files = {"template": ("canvas.csv", given.read_bytes(), "text/csv")}
    answer, page = made(desk, post, platform="canvas", column="Total (1)", files=files)
    assert answer.content == out.read_bytes()
    assert 'filename="canvas.csv"' in answer.headers["content-disposition"]
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "No row in the file" in text_of(page)


def test_results_for_a_platform_need_no_template(desk, post):
    answer, page = made(desk, post, platform="gradescope")
    assert zipfile.is_zipfile(io.BytesIO(answer.content))
    assert "u0000" in text_of(page)  # of whom no number there is known


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"platform": "none"}, "Choose what the file is for"),
        ({"platform": "canvas"}, "Choose the file that you downloaded from canvas"),
    ],
)
def test_what_is_missing_is_said(desk, post, fields, said):
    answer = post(desk, "/export/make", **fields)
    assert answer.status_code == 422 and said in text_of(answer)


def test_a_template_that_is_none_is_said_to_be_none(desk, post):
    files = {"template": ("../../evil\n.csv", b"\x00\xff" * 1000, "text/csv")}
    answer = post(desk, "/export/make", platform="canvas", files=files)
    assert answer.status_code == 422


def test_a_file_is_there_for_who_has_its_key(desk):
    assert desk.get("/export/nothing").status_code == 404
    assert desk.get("/export/nothing/file").status_code == 404
