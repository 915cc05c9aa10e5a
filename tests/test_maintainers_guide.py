"""The maintainers' guide: every file that it names exists, and every package is in its table."""

import re

from tests.engine import ENGINE, ROOT

GUIDE = ROOT / "docs" / "maintainers.md"
NAMED = re.compile(r"`((?:autograder|reference|tests)/[\w/.]+)`")


def pages():
    return [GUIDE, *sorted((ROOT / "docs" / "maintainers").glob("*.md"))]


def test_every_file_that_is_named_exists():
    named = {(page.name, path) for page in pages() for path in NAMED.findall(page.read_text())}
    assert len(named) > 40
    known = {(page, path) for page, path in named if "EXERCISE" not in path}
    assert {(page, path) for page, path in known if not (ROOT / path).exists()} == set()


def test_every_package_is_in_the_table():
    packages = {path.name for path in ENGINE.iterdir() if any(path.glob("*.py"))}
    text = GUIDE.read_text()
    assert {name for name in packages if f"| `{name}/` |" not in text} == set()
