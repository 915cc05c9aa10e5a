"""Checker of a submission with the kit beside this file, made by `autograder package`.

The checker installs missing libraries into a folder of the job.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(os.environ.get("CLASSROOM50_BUNDLE_DIR") or Path(__file__).resolve().parent)
NEEDED = ("click", "msgspec", "numpy", "pytest", "rich", "yaml")

path = [str(HERE / "engine")]
if any(importlib.util.find_spec(name) is None for name in NEEDED):
    folder = os.path.join(tempfile.mkdtemp(dir=os.environ.get("RUNNER_TEMP")), "site-packages")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder]
    subprocess.run([*install, "-r", str(HERE / "requirements.txt")], check=True)
    path.append(folder)
# Never import a student's file as one of the grader's own modules.
environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONSAFEPATH": "1"}
command = [sys.executable, "-m", "autograder.platforms", "classroom50", str(HERE)]
raise SystemExit(subprocess.run(command, env=environment, check=False).returncode)
