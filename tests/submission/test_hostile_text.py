"""Text that is made to be read slowly or to fill the memory: what it costs grows with its size.

Each is read as `grade` reads it, in a process that is given far longer than it needs.
"""

import json
import subprocess
import sys
import tracemalloc

import pytest

from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.submission import source as siblings_module
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, read_source
from autograder.worker.messages import Unit
from autograder.worker.statements import without_magics

SECONDS = 60
MIB = 2**20
READ = """
import sys
from pathlib import Path
from autograder.course.course_file import load_course
from autograder.grading.scoring import find_forbidden
from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.submission.stubs import read_stubs

course = load_course(Path(sys.argv[1]))
folder = find_folders(Path(sys.argv[2]), course.exercises)[0][0]
work = read_work(folder, course.exercises, read_stubs(course))
for source in work.sources.values():
    source.imports("torch"), source.mentions("pyplot")
    find_forbidden(source, ["torch.nn.functional.softmax"])
"""


def cell(text):
    return json.dumps({"cell_type": "code", "metadata": {}, "source": text})


def notebook(*cells):
    return '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[' + ",".join(cells) + "]}"


def nested(depth, line):
    return "".join(" " * i + f"for i{i} in x:\n" for i in range(depth)) + " " * depth + line


PYTHON = {
    "blank lines": "x = 1" + "\n" * 900_000,
    "blanks": "x = 1\n" + " " * 900_000 + "\n",
    "lines of tabs": "\t\n" * 450_000,
    "imports of nothing": "from \n" * 150_000,
    "an import and blanks": "import" + " " * 900_000,
    "many targets": ",".join(f"a{i}" for i in range(30_000)) + " = x\n",
    "a chain of targets": "".join(f"a{i}=" for i in range(20_000)) + "1\n",
    "many names of an import": "from m import " + ",".join(f"a{i}" for i in range(20_000)),
    "loops in loops": nested(90, "y=0;" * 40_000 + "\n"),
    "long names with dots": "import torch as a\n" + ("a" + ".b" * 900 + "\n") * 300,
    "definitions of nothing": "def" + " " * 900_000 + "\ndef (",
    "answers of nothing": "# %% [markdown] " + ' answer="' * 90_000,
}
CELLS = {
    "a line of blanks": "x ===\n" + " " * 900_000 + "a",
    "a line of targets": "x ===\n" + "a = " * 220_000 + "b",
    "a target and blanks": "x ===\n" + "a " * 200_000 + "=" + " " * 400_000 + "b",
    "a question and blanks": "x ===\na?" + " " * 900_000 + "b",
    "a name with dots": "x ===\n" + "a." * 450_000,
    "blank lines before a magic": "\n" * 900_000 + "%%" + "a" * 1000,
}
HOSTILE = {f"{name}.py": text for name, text in PYTHON.items()} | {
    f"{name}.ipynb": notebook(cell(text)) for name, text in CELLS.items()
}


def read_apart(root, folder):
    (folder / "s2").mkdir()
    command = [sys.executable, "-c", READ, str(root / "course.yml"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.one_in(18)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_is_read_in_time(root, tmp_path, name):
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1" / f"softmax.{name.rpartition('.')[2]}").write_text(HOSTILE[name])
    read_apart(root, tmp_path)


@pytest.mark.parametrize("text", ["x = 1" + "\n" * 900_000, "\f\t" * 400_000])
def test_a_file_beside_it_is_read_in_time(root, tmp_path, text):
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1" / "softmax.py").write_text("import helper\n")
    (tmp_path / "s1" / "helper.py").write_text(text)
    read_apart(root, tmp_path)


def test_words_of_a_file_are_looked_for_once(tmp_path, monkeypatch):
    """However many files name it, and whether they name each other."""
    scans = []
    find = siblings_module.re.finditer
    monkeypatch.setattr(
        siblings_module.re, "finditer", lambda *args: scans.append(1) or find(*args)
    )
    words = " ".join(f"h{i}" for i in range(20))
    for number in range(20):
        (tmp_path / f"h{number}.py").write_text(words)
    beside = Siblings(tmp_path)
    for number in range(100):
        (tmp_path / f"x{number}.py").write_text("h1\n")
        found = read_source(tmp_path / f"x{number}.py", f"x{number}", beside)
        assert len(found.helpers) == 20
    assert len(scans) <= 120


def test_imports_are_looked_for_once(tmp_path):
    (tmp_path / "softmax.py").write_text("import torch\n")
    source = read_source(tmp_path / "softmax.py", "softmax")
    assert source.imports("torch")
    assert source.imports("torch")
    assert source._imported is source._imported


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("import torch\n", True),
        ("    from torch import nn\n", True),
        ("\timport\ttorch.nn as nn\n", True),
        ("try:\n  import torch\nexcept ImportError: pass\n", True),
        ("import torchvision\n", False),
        ("# import torch\n", False),
        ("important = torch\n", False),
        ("import\ntorch\n", False),
    ],
)
def test_what_counts_as_an_import(tmp_path, text, imported):
    (tmp_path / "softmax.py").write_text(text)
    assert read_source(tmp_path / "softmax.py", "softmax").imports("torch") == imported


def test_a_name_bound_by_a_loop_has_the_loops_head(tmp_path):
    one, other = (read_code([Unit("a.py", f"for x in y:\n    z = {value}\n")]) for value in (1, 2))
    assert one.names["x"] == other.names["x"]
    assert one.names["z"] != other.names["z"]


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("%time x", "pass"),
        ("  !ls", "  pass"),
        ("a, b = !ls", "a, b = get_ipython()"),
        (" x = %time 1", " x = get_ipython()"),
        ("x[0] =%time 1", "x[0] = get_ipython()"),
        ("np.exp?", "pass"),
        ("?np.exp  ", "pass"),
        ("a % b", "a % b"),
    ],
)
def test_magics_are_what_they_were(line, becomes):
    assert without_magics(f"{line}\nx ===", "code cell 1").split("\n")[0] == becomes


def peak(path):
    tracemalloc.start()
    try:
        return read_source(path, "softmax"), tracemalloc.get_traced_memory()[1]
    except UnreadableFile as error:
        return error, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


MANY = 3_000_000
FULL = {
    "cells": lambda: notebook(*["{}"] * MANY),
    "code cells": lambda: notebook(*['{"cell_type":"code"}'] * 1_000_000),
    "metadata": lambda: '{"nbformat":4,"cells":[],"metadata":{"a":[' + "[]," * MANY + "1]}}",
    "numbers in metadata": lambda: (
        '{"nbformat":4,"cells":[],"metadata":{"a":[' + "1.5," * MANY + "1]}}"
    ),
    "names in metadata": lambda: (
        '{"nbformat":4,"cells":[],"metadata":{'
        + ",".join(f'"a{i}":1' for i in range(1_000_000))
        + "}}"
    ),
    "a cell's metadata": lambda: notebook(
        '{"cell_type":"code","metadata":{"nbgrader":{"grade_id":[' + '"a",' * MANY + "1]}}}"
    ),
    "lines": lambda: notebook('{"cell_type":"code","source":[' + '"a",' * MANY + '"a"]}'),
    "lines of text": lambda: notebook(
        '{"cell_type":"markdown","source":[' + '"a",' * MANY + '"a"]}'
    ),
    "lines of an answer": lambda: notebook(
        '{"cell_type":"markdown","metadata":{"answer":"q"},"source":[' + '"a",' * MANY + '"a"]}'
    ),
    "outputs": lambda: notebook('{"cell_type":"code","outputs":[' + "[[]]," * MANY + "1]}"),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", FULL)
def test_a_notebook_of_many_small_things(tmp_path, name):
    (tmp_path / "softmax.ipynb").write_text(FULL[name]())
    size = (tmp_path / "softmax.ipynb").stat().st_size
    _, used = peak(tmp_path / "softmax.ipynb")
    assert used < 3 * size + 80 * MIB


def test_large_outputs_are_no_trouble(tmp_path):
    numbers = json.dumps([[0.25] * 10] * 50_000)
    output = f'{{"output_type":"display_data","data":{{"x":{numbers}}}}}'
    text = f'{{"cell_type":"code","source":["x = 1"],"outputs":[{output}]}}'
    (tmp_path / "softmax.ipynb").write_text(notebook(text))
    found, used = peak(tmp_path / "softmax.ipynb")
    assert found.text == "x = 1"
    assert used < 50 * MIB


def test_a_large_file_is_not_parsed_to_see_what_it_is(tmp_path):
    for name in ("s1", "s2"):
        (tmp_path / name).mkdir()
    (tmp_path / "s1" / "softmax.py").write_text("def softmax(x): pass\n" + "a=1;" * 200_000)
    tracemalloc.start()
    found = read_work(find_folders(tmp_path, ["softmax"])[0][0], ["softmax"])
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(found.sources) == {"softmax"}
    assert used < 50 * MIB
