"""Ordinary folders as they come from learning platforms: each is graded, or it is said why not."""

import csv
import io
import json
import zipfile

import pytest

from autograder.classroom.grade_class import Job, grade_class

EXERCISES = ("softmax", "causal_mask", "hand_computation", "reflection", "qkv_projection")


class Class:
    """Folders of a class, filled by a test, and what became of them."""

    def __init__(self, root, course, folder):
        self.root, self.course, self.folder = root, course, folder
        self.overview = None

    def stub(self, name, suffix=".py"):
        return (self.root / "exercises" / f"{name}{suffix}").read_text()

    def right(self, name):
        text = (self.root / "solutions" / f"{name}.py").read_text()
        return "\n".join(line for line in text.split("\n") if "SOLUTION" not in line)

    def notebook(self, *cells, **metadata):
        book = {"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        for text in cells:
            book["cells"].append({"cell_type": "code", "source": text, "metadata": {}})
        return json.dumps(book)

    def put(self, path, text):
        place = self.folder / "class" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def grade(self, submissions="class"):
        job = Job(
            course=self.course,
            exercises=tuple(self.course.exercise(name) for name in EXERCISES),
            submissions=self.folder / submissions,
            out=self.folder / "out",
            workers=1,
            seed=0,
        )
        self.overview = grade_class(job, lambda *_: None)
        with (self.folder / "out" / "grades.csv").open(newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture
def klass(root, course, tmp_path, one_judge):
    return Class(root, course, tmp_path)


def packed(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in files.items():
            file.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return data.getvalue()


def test_a_stub_never_competes_with_an_answer(klass):
    for name in ("softmax", "qkv_projection", "hand_computation"):
        right = klass.right(name)
        klass.put(f"twin-{name}/{name}.py", right)
        klass.put(f"twin-{name}/{name}.ipynb", klass.stub(name, ".ipynb"))
        klass.put(f"other-twin-{name}/{name}.py", klass.stub(name))
        klass.put(f"other-twin-{name}/{name}.ipynb", klass.notebook(*right.split("# %%\n")))
        klass.put(f"download-{name}/{name}.py", klass.stub(name))
        klass.put(f"download-{name}/{name} (1).py", right)
        klass.put(f"windows-{name}/{name}.py", klass.stub(name).replace("\n", "\r\n"))
        klass.put(f"windows-{name}/hw/{name}.py", right.replace("\n", "\r\n"))
        klass.put(f"copies-{name}/{name}.py", right)
        klass.put(f"copies-{name}/{name} (1).py", "# the same\n" + right.replace("= -1", "=-1"))
        klass.put(f"twice-{name}/{name}.py", right)
        klass.put(f"twice-{name}/{name}_old.py", right + "\nx = 3\n")
        klass.put(f"stubs-{name}/{name}.py", klass.stub(name))
        klass.put(f"stubs-{name}/{name}.ipynb", klass.stub(name, ".ipynb"))
    rows = klass.grade()
    for name, full in (("softmax", "12"), ("qkv_projection", "9"), ("hand_computation", "13")):
        for student in ("twin", "other-twin", "download", "windows", "copies"):
            row = rows[f"{student}-{name}"]
            assert (row[name], row["status"]) == (full, "graded"), (student, row)
            assert "eft out" in row["notes"]
        assert rows[f"twice-{name}"]["status"] == "needs a person"
        assert "There are several files for" in rows[f"twice-{name}"]["notes"]
        stubs = rows[f"stubs-{name}"]
        assert (stubs[name], stubs["status"]) == ("0", "graded")
    assert "softmax is not written yet" in rows["stubs-softmax"]["notes"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("raise NotImplementedError()", "raise NotImplementedError"),
        lambda text: text.replace("raise NotImplementedError()", "pass"),
        lambda text: text.replace("raise NotImplementedError()", "..."),
        lambda text: text.replace("def softmax(x, axis=-1):", "def softmax(x, axis = -1) :"),
        lambda text: text + "\nprint('hello')\nimport scipy\n",
        lambda text: text.replace('"""Softmax along one axis', "'''My softmax"),
        lambda text: text.replace("    ", "\t"),
        lambda text: "",
        lambda text: "import numpy as np\n",
    ],
)
def test_what_still_is_the_stub(klass, change):
    text = change(klass.stub("softmax")).replace("'''My softmax", '"""My softmax')
    klass.put("s1/softmax.py", text)
    klass.put("s1/softmax (1).py", klass.right("softmax"))
    row = klass.grade()["s1"]
    assert (row["softmax"], row["status"]) == ("12", "graded"), row


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("raise NotImplementedError()", "return x"),
        lambda text: text.replace("raise NotImplementedError()", "x = 1\n    raise ValueError"),
        lambda text: text + "\nfrom mine import softmax\n",
        lambda text: text + "\nfrom mine import *\n",
        lambda text: text + "\nsoftmax = lambda x, axis=-1: x\n",
        lambda text: text + "\nif True:\n    def softmax(x): return x\n",
    ],
)
def test_what_is_an_answer_already(klass, change):
    klass.put("s1/softmax.py", change(klass.stub("softmax")))
    klass.put("s1/softmax (1).py", klass.right("softmax"))
    row = klass.grade()["s1"]
    assert (row["softmax"], row["status"]) == ("", "needs a person"), row


@pytest.mark.thorough
def test_names_say_little_and_functions_much(klass):
    right = klass.right("softmax")
    three = [klass.right(name) for name in ("softmax", "causal_mask", "qkv_projection")]
    klass.put("untitled/Untitled.ipynb", klass.notebook(right))
    klass.put("homework/attention_homework.py", right)
    klass.put("prefix/hw1_softmax.py", right)
    klass.put("text/softmax.txt", right)
    klass.put("saved/softmax.py.txt", right)
    klass.put("renamed/softmax.py", klass.notebook(right))
    klass.put("json/softmax.ipynb.json", klass.notebook(right))
    klass.put("capital/SOFTMAX.PY", right)
    klass.put("deep/a/b/c/d/e/f/softmax.py", right)
    klass.put("zip/hw.zip", packed(hw__softmax_DOT_py=right))
    klass.put("stub/softmax.py", klass.stub("softmax"))
    klass.put("stub/my work.ipynb", klass.notebook(right))
    klass.put("three/everything.ipynb", klass.notebook(*three))
    klass.put("three-in-text/all.py", "\n".join(three))
    klass.put("both/softmax_and_causal_mask.py", "\n".join(three[:2]))
    rows = klass.grade()
    for student, row in rows.items():
        assert row["softmax"] == "12", (student, row)
        assert row["notes"] or student in {"deep", "renamed"}, student
    for student in ("three", "three-in-text"):
        assert (rows[student]["causal_mask"], rows[student]["qkv_projection"]) == ("14", "9")
    assert rows["both"]["causal_mask"] == "14"
    assert "Untitled.ipynb was graded for softmax: it has softmax." in rows["untitled"]["notes"]


def test_nothing_is_missing_without_a_word(klass):
    right = klass.right("softmax")
    klass.put("too-deep/" + "d/" * 12 + "softmax.py", right)
    klass.put("zip-in-zip/hw.zip", packed(inner_DOT_zip=packed(softmax_DOT_py=right)))
    klass.put("word/softmax.docx", "PK")
    klass.put("rar/homework.rar", "Rar!")
    klass.put("no-zip/homework.zip", "nothing")
    klass.put("other-names/my_work.py", "def soft_max(x): return x\n")
    klass.put("used/softmax.py", "import no_such\ndef softmax(x, axis=-1): return no_such.f(x)\n")
    klass.put("in-another/causal_mask.py", klass.right("causal_mask") + right)
    rows = klass.grade()
    for student, row in rows.items():
        assert row["softmax"] == ("0" if student == "used" else ""), student
        assert row["notes"].strip(), student


def test_who_uses_a_file_is_no_rival_of_it(klass):
    right = klass.right("softmax")
    klass.put("tests/softmax.py", right)
    klass.put("tests/test_softmax.py", "from softmax import softmax\nassert softmax([1.0])\n")
    klass.put("helper/softmax.ipynb", klass.notebook("from softmax_helper import *"))
    klass.put("helper/softmax_helper.py", right)
    klass.put("part/softmax.py", "from softmax_core import softmax\n")
    klass.put("part/softmax_core.py", right)
    klass.put("shared/softmax.py", right)
    klass.put("shared/softmax_helper.py", right.replace("axis=-1", "axis=0"))
    klass.put("shared/qkv_projection.py", "from softmax_helper import softmax\n")
    klass.put("main/softmax.py", right)
    klass.put("main/main.py", "from softmax import softmax\nprint(softmax([1.0]))\n")
    for student, row in klass.grade().items():
        assert row["softmax"] == "12", (student, row)


def test_a_class_of_zips(klass):
    klass.put("ann.zip", packed(softmax_DOT_py=klass.right("softmax")))
    klass.put("bob.zip", packed(hw__softmax_DOT_py=klass.stub("softmax")))
    klass.put("cem/softmax.py", klass.right("softmax"))
    rows = klass.grade()
    assert {name: row["softmax"] for name, row in rows.items()} == {
        "ann": "12",
        "bob": "0",
        "cem": "12",
    }
    with zipfile.ZipFile(klass.folder / "all.zip", "w") as file:
        for path in sorted((klass.folder / "class").rglob("*.*")):
            file.write(path, path.relative_to(klass.folder))
    assert klass.grade("all.zip") == rows


def test_what_does_not_load_says_so(klass):
    right = klass.right("softmax")
    rows = {
        "syntax": (klass.put, "softmax.py", right + "\ndef broken(:\n"),
        "cell": (
            klass.put,
            "softmax.ipynb",
            klass.notebook("import numpy as np", right + "\nx = ("),
        ),
        "r": (
            klass.put,
            "softmax.ipynb",
            klass.notebook(
                "softmax <- function(x) exp(x)", kernelspec={"name": "ir", "language": "R"}
            ),
        ),
        "julia": (
            klass.put,
            "softmax.ipynb",
            klass.notebook("softmax(x) = exp.(x)", language_info={"name": "julia"}),
        ),
        "only-imports": (klass.put, "softmax.py", "from no_such_library import softmax\n"),
    }
    for student, (put, name, text) in rows.items():
        put(f"{student}/{name}", text)
    klass.put("fine/softmax.py", "import no_such_library\n" + right)
    found = klass.grade()
    for student in rows:
        row = found[student]
        assert (row["softmax"], row["status"]) == ("", "not loaded"), row
        assert "softmax: not loaded." in row["notes"]
    assert "line" in found["syntax"]["notes"]
    assert "in R" in found["r"]["notes"] and "in julia" in found["julia"]["notes"]
    assert "No module named 'no_such_library'" in found["only-imports"]["notes"]
    assert (found["fine"]["softmax"], found["fine"]["status"]) == ("12", "graded")
    page = (klass.folder / "out" / klass.overview.rows[1].page).read_text()
    assert klass.overview.rows[1].student == "fine"
    assert "No module named &#39;no_such_library&#39; in line 1 of softmax.py" in page
    (measured,) = klass.overview.scores.measured()
    assert (measured.title, len(measured.students)) == ("Softmax", 1)
    index = (klass.folder / "out" / "index.html").read_text()
    assert "not loaded" in index


def test_words_stay_with_the_file_that_has_them(klass):
    stub, answered = klass.stub("reflection"), klass.right("reflection")
    klass.put("s1/reflection.ipynb", klass.stub("reflection", ".ipynb"))
    klass.put("s1/reflection.py", answered)
    klass.put("s2/reflection.py", stub)
    klass.put("s2/my words.py", answered)
    rows = klass.grade()
    for student in ("s1", "s2"):
        assert rows[student]["status"] == "by hand", rows[student]


def test_the_same_folder_gives_the_same_bytes(klass):
    klass.put("s1/softmax.py", klass.stub("softmax"))
    klass.put("s1/a.zip", packed(softmax_DOT_py=klass.right("softmax")))
    klass.put("s1/x.ipynb", klass.notebook(klass.right("causal_mask")))
    klass.grade()
    first = (klass.folder / "out" / "report.jsonl").read_bytes()
    (klass.folder / "out" / "journal.sqlite").unlink()
    klass.grade()
    assert (klass.folder / "out" / "report.jsonl").read_bytes() == first
