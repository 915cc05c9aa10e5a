"""How pytest collects checks: started with nothing that is not needed, and with their marks."""

import warnings
from pathlib import Path

import pytest

MARKS = (
    "check(title, points=1, needs=(), hints=()): a check of an exercise; its docstring may "
    "hold the hints, one a line",
    "hidden: a check whose inputs and values are not shown to students",
)
INI = Path(__file__).with_name("judge.ini")
UNNEEDED = """
    terminal cacheprovider faulthandler logging junitxml doctest unittest pastebin nose warnings
    setuponly setupplan stepwise legacypath threadexception unraisableexception subtests debugging
""".split()  # noqa: SIM905
OPTIONS = [
    "--disable-plugin-autoload",
    *("-c", str(INI)),
    "--import-mode=importlib",
    "--noconftest",
    "--capture=no",
    *(part for name in UNNEEDED for part in ("-p", f"no:{name}")),
]


def register_marks(config: pytest.Config) -> None:
    """Make the marks of checks known."""
    for line in MARKS:
        config.addinivalue_line("markers", line)
    # unknown ones are refused, with their line
    warnings.filterwarnings("ignore", category=pytest.PytestUnknownMarkWarning)
