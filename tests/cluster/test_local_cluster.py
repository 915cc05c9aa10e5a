"""A class on real Dask workers: the same bytes as on one machine, whatever is handed in."""

import pytest
from click.testing import CliRunner

from autograder.cli import app

RIGHT = "def count_visible(n): return list(range(1, n + 1))\n"
CLASS = {
    "right": RIGHT,
    "wrong": "def count_visible(n): return n\n",
    "ends": "import os\ndef count_visible(n): os._exit(3)\n",
    "calls": "import socket\nsocket.create_connection(('127.0.0.1', 9))\n" + RIGHT,
    "patches": "import pickle, builtins\nbuiltins.open = pickle.loads = None\n" + RIGHT,
    "broken": "def count_visible(n:\n",
}


@pytest.fixture
def grade(tmp_path, root):
    for student, text in CLASS.items():
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "causal_mask.py").write_text(text)

    def grade(out, *options):
        command = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / out)]
        command += ["--exercise", "causal_mask", "--course", str(root), *options]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, (done.output, done.exception)
        return results(tmp_path / out)

    return grade


def results(folder):
    """All that a run writes, but times and the databases."""
    left_out = ("history/", "journal", "marks.sqlite", "grade.log", ".lock")
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if path.is_file() and not name.startswith(left_out)
    }


def never(*_):
    raise AssertionError("nothing has to be graded")


def test_a_cluster_gives_the_bytes_of_one_machine_and_what_it_graded_is_kept(
    grade, tmp_path, monkeypatch
):
    here = grade("here", "--workers", "1")
    there = grade("there", "--local-cluster", "2")
    assert len(here) > len(CLASS) and there == here
    for place in (
        "autograder.classroom.judge_pool.context_of_judges",
        "autograder.cluster.dask_cluster.local",
    ):
        monkeypatch.setattr(place, never)
    for folder in ("here", "there"):  # what is graded is not asked for again, there or here
        assert grade(folder, "--local-cluster", "2") == here
        assert grade(folder, "--workers", "1") == here
