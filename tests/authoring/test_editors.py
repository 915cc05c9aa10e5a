"""VS Code's files for a course that is handed out: valid, and of commands that there are."""

import json

from click.testing import CliRunner

from autograder.authoring.kit_files import editor_files
from autograder.cli import app


def test_tasks_are_commands_that_there_are():
    files = {path: json.loads(text) for path, text in editor_files("exercises").items()}
    tasks = files[".vscode/tasks.json"]["tasks"]
    asked = [task["args"][2:] for task in tasks]
    assert [] in asked and ["watch"] in asked and ["check", "${file}"] in asked
    for task in tasks:
        assert task["args"][:2] == ["-m", "autograder"]
        words = [word for word in task["args"][2:] if word != "${file}"]
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    assert files[".vscode/settings.json"]["python.testing.pytestArgs"] == ["exercises"]
