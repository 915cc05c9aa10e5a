"""Command blocks of the documents, with the page's notes on running them."""

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

BLOCK = re.compile(
    r"(?:^ *<!-- not run: (?P<reason>[^\n]+) -->\n)?^ *```(?P<language>\w+)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """Block of a page. `reason` says why it is not run."""

    page: str
    language: str
    text: str
    reason: str

    @property
    def commands(self) -> list[str]:
        """Return the whole commands: a line that ends with a backslash continues."""
        joined = re.sub(r"\\\n\s*", "", self.text)
        lines = (re.sub(r"\s#\s.*", "", line).strip() for line in joined.splitlines())
        return [line for line in lines if line and not line.startswith("#")]


def pages() -> list[Path]:
    """Return the documents for all readers except maintainers."""
    docs = [
        path for path in sorted((ROOT / "docs").rglob("*.md")) if "maintainers" not in path.parts
    ]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *docs]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    name, text = page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
    return [
        Block(name, m["language"], textwrap.dedent(m["text"]), m["reason"] or "")
        for m in BLOCK.finditer(text)
    ]
