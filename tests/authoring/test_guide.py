"""docs/authors.md, followed to the letter, ends in an exercise that is verified."""

import re
import sys

import pytest

from autograder.authoring.verify import Verifier
from autograder.cli import main
from autograder.course.course_file import load_course


def followed(folder, page):
    """Write each block that begins with the name of a file into that file."""
    blocks = re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for name, text in blocks:
        assert (folder / name).is_file() or "examples/right" in name, f"`new` does not write {name}"
        (folder / name).write_text(text, encoding="utf-8")
    return [name for name, _ in blocks]


def test_the_guide_leads_to_a_verified_exercise(root, tmp_path, monkeypatch, capsys):
    page = (root / "docs" / "authors.md").read_text(encoding="utf-8")
    commands = re.findall(r"^autograder (new .*?|build \w+)(?: *#.*)?$", page, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["new", "new", "build"]
    monkeypatch.chdir(tmp_path)
    for command in commands:
        if command.startswith("build"):
            assert len(followed(tmp_path / "words", page)) == 5
        monkeypatch.setattr(sys, "argv", ["autograder", *command.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        monkeypatch.chdir(tmp_path / "words")
    course = load_course(tmp_path / "words" / "course.yml")
    verifier = Verifier(course, course.exercise("acronym"))
    verifier.run(["right answers", "stub", "misconceptions", "mutants"])
    result = verifier.result
    assert result.faults == []
    assert result.named == result.misconceptions == 3
    assert result.pairs_both == result.pairs == 1
    assert result.rejected == result.mutants >= 2
