"""Setting up an environment."""

import re
import subprocess
import sys


def test_an_old_python_is_refused_in_one_sentence(root):
    code = f"import runpy, sys; sys.version_info = (3, 10); runpy.run_path({str(root / 'tools/install.py')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(r"This needs Python 3\.11 or later\. [^\n]+\n", done.stderr)


def test_help_is_printed_and_nothing_is_made(root, tmp_path):
    script = str(root / "tools/install.py")
    for argument, code in (("--help", 0), ("-h", 0), ("--update", 2)):
        command = [sys.executable, script, argument]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code
        assert "usage: install.py [-h] venv [extras ...]" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_documents_say_what_demo_installs(root):
    demo = re.search(
        r"^demo:\n\t@\S+ tools/install\.py \S+ (.*)$", (root / "Makefile").read_text(), re.M
    )
    page = (root / "docs" / "reference" / "extras.md").read_text().partition("If a command")[0]
    assert set(re.findall(r"`([a-z]+)`", page.partition("installs")[2])) == set(demo[1].split())
