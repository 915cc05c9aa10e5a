"""What one student's folder may cost: in entries, in bytes read, in text that is kept."""

import tracemalloc

import pytest

from autograder.classroom import hand_ins, submissions
from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.submission import source, walk
from autograder.submission.source import MAX_ANSWERS, CharacterBudget, Siblings, read_source

EXERCISES = ["softmax", "causal_mask"]


def put(folder, path, text="x = 1\n"):
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def work(folder):
    put(folder, "other/softmax.py")
    folders, _ = find_folders(folder, EXERCISES)
    return read_work(next(f for f in folders if f.student == "s1"), EXERCISES)


def kept(found):
    texts = {id(text): text for s in found.sources.values() for text in s.helpers.values()}
    return sum(map(len, texts.values())) + sum(len(s.text) for s in found.sources.values())


def test_only_what_a_submission_names_is_read(tmp_path):
    put(tmp_path, "s1/softmax.py", "import used\n")
    put(tmp_path, "s1/used.py", "import also_used\n")
    put(tmp_path, "s1/also_used.py")
    for number in range(60):
        put(tmp_path, f"s1/a{number}.py", "#" * 900_000)
    tracemalloc.start()
    found = work(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(found.sources["softmax"].helpers) == {"used", "also_used"}
    assert peak < 5_000_000


@pytest.mark.one_in(3)
@pytest.mark.parametrize("place", ["s1", "s1/{}", "s1/{}/deep"])
def test_files_that_name_each_other_are_bounded_in_all(tmp_path, monkeypatch, place):
    monkeypatch.setattr(submissions, "CharacterBudget", lambda: CharacterBudget(400_000))
    names = [f"h{number}" for number in range(40)]
    for exercise in EXERCISES:
        folder = place.format(exercise)
        put(tmp_path, f"{folder}/{exercise}.py", f"import {', '.join(names)}\n")
        for name in names:
            put(tmp_path, f"{folder}/{name}.py", "#" * 90_000)
    found = work(tmp_path)
    assert 200_000 < kept(found) <= 400_000
    assert any("not read, since the folder has too many files" in note for note in found.notes)


def test_many_small_ones_are_bounded_too(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "MAX_READ", 10)
    put(tmp_path, "s1/softmax.py", "import " + ", ".join(f"h{n}" for n in range(40)))
    for number in range(40):
        put(tmp_path, f"s1/h{number}.py")
    found = work(tmp_path)
    assert len(found.sources["softmax"].helpers) == 10
    assert "too many" in found.notes[-1]


def test_what_is_read_does_not_depend_on_the_order_of_a_set(tmp_path):
    for number in range(40):
        put(tmp_path, f"h{number}.py", "#" * 9_000)
    put(tmp_path, "softmax.py", "import " + ", ".join(f"h{n}" for n in range(39, -1, -1)))
    found = read_source(
        tmp_path / "softmax.py", "softmax", Siblings(tmp_path, CharacterBudget(100_000))
    )
    assert list(found.helpers) == sorted(f"h{n}" for n in range(40))[:11]


def test_a_folder_of_large_files_is_read_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MAX_READ", 2**20)
    cell = '{"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": []}'
    book = f'{{"cells": [{cell}], "padding": "' + "x" * 700_000 + '"}'
    put(tmp_path, "s1/softmax.ipynb", book)
    put(tmp_path, "s1/causal_mask.ipynb", book)
    found = work(tmp_path)
    assert set(found.sources) == {"causal_mask"}
    assert found.unclear == {
        "softmax": "softmax.ipynb was not read: the folder's files have over 1 MiB."
    }


@pytest.mark.parametrize("place", ["a{0}/x.py", "a/{0}.py", "a/b/c/{0}.txt", "a/{0}/b/x.ipynb"])
def test_a_folder_full_of_other_things_hides_nothing_above_it(tmp_path, monkeypatch, place):
    monkeypatch.setattr(walk, "MAX_FILES", 100)
    for number in range(300):
        put(tmp_path, "s1/" + place.format(number), "")
    put(tmp_path, "s1/softmax.py")
    found = work(tmp_path)
    said = "The folder has too many entries. Only the first 100 were read." in found.notes
    assert said
    assert set(found.sources) == {"softmax"} or place.startswith("a{0}")


def test_a_small_folder_has_no_note(tmp_path):
    put(tmp_path, "s1/softmax.py", "import h\n")
    put(tmp_path, "s1/h.py")
    assert work(tmp_path).notes == []


def test_answers_are_bounded_in_number(tmp_path):
    cell = '{{"cell_type": "markdown", "metadata": {{"answer": "q{0}"}}, "source": "text"}}'
    cells = ",".join(cell.format(number) for number in range(1000))
    script = "".join(f'# %% [markdown] answer="q{n}"\n# text\n' for n in range(1000))
    book = put(tmp_path, "softmax.ipynb", '{"cells": [' + cells + "]}")
    for path in (book, put(tmp_path, "softmax.py", script)):
        assert len(read_source(path, "softmax").answers) == MAX_ANSWERS


def test_folders_within_folders_without_end(tmp_path):
    (tmp_path / "/".join(["d"] * 40)).mkdir(parents=True)
    (folder,) = find_folders(tmp_path, EXERCISES)[0]
    assert len(folder.path.relative_to(tmp_path).parts) == hand_ins.MAX_LEVELS + 1
