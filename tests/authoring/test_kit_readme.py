"""The README of a student kit: each command works as it is printed, on each system."""

import re
import shlex

import pytest

from autograder.authoring.kit_files import ReleaseOptions, surroundings
from autograder.cli import COMMANDS, load_command

WHEEL = "attention_course_kit-1.0-py3-none-any.whl"


@pytest.fixture(params=[("softmax",), ("softmax", "self_attention")], ids=["numpy", "torch"])
def readme(request, course):
    exercises = tuple(course.exercise(name) for name in request.param)
    return surroundings(course, ReleaseOptions(exercises, "practice"), WHEEL, "2.1")["README.md"]


def commands(text, language="sh"):
    """The commands of a page's blocks, those in running text and tables too."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_every_command_names_the_environment(readme):
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", readme, flags=re.DOTALL))
    run = [
        *commands(readme),
        *(each for each in inline if re.search(r"autograder.|pytest|pip ", each)),
    ]
    assert len(run) >= 8
    for line in run:
        own = line.startswith(
            (".venv/bin/", "python3 -c", "python3 -m venv", "python3 -m pip download")
        )
        assert own or line == f"python -m pip install './{WHEEL}'", line  # a conda environment's
    assert all(
        ".venv" in line or line.startswith("py -3 ") for line in commands(readme, "powershell")
    )


def test_its_commands_and_options_exist(readme):
    called = re.findall(r"\.venv/bin/autograder((?: [\w-]+)*)", readme)
    for line in called:
        name, *rest = shlex.split(line) or ["status"]
        options = {opt for param in load_command(name).params for opt in param.opts}
        assert name in COMMANDS and {each for each in rest if each.startswith("--")} <= options
    assert {line.split()[0] for line in called if line} == {"watch", "check"}


def test_torch_is_a_small_build_and_only_where_an_exercise_needs_it(readme):
    needed = "self_attention" in readme
    assert (
        "pip install torch --index-url https://download.pytorch.org/whl/cpu" in readme
    ) == needed
    assert "[torch]" not in readme


def test_an_old_python_is_told_so_in_one_sentence(readme, tmp_path):
    (check,) = re.findall(r"python3 -c '(.*)' &&", readme)
    with pytest.raises(SystemExit) as ended:
        exec(
            check.replace("import sys; ", "").replace("sys.version_info", "(3, 10)"),
            {"sys": __import__("sys")},
        )
    assert str(ended.value.code).startswith("This needs Python 3.11 or later")
