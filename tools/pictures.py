"""`python -m tools.pictures RESULTS [NAME...]`: make the README's pictures from real output.

`make demo` writes RESULTS. Each picture is made for light and for dark pages, in docs/pictures/. To
add a picture, add a line to SHOTS.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from tools.larger_class import page_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
LARGEST = 100_000  # bytes
COLOURS = 64
SCHEMES = ("light", "dark")
COLUMNS, LINES = 96, 16
WRONG = """\
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=0))
    return e / e.sum(axis=0)
"""
LIGHT = ("#ffffff", "#1c2430", "#a8480b", "#0b6b3a", "#7a5b00", "#1f4f99", "#7a2f8a", "#0f6a73")
DARK = ("#14181e", "#e6eaf0", "#f0a35e", "#63d297", "#e5c07b", "#8ab6f5", "#d9a0e6", "#6fd0da")
REMOTE_FONTS = re.compile(r"@font-face \{\{?.*?\}\}?\n", re.DOTALL)


class Shot(NamedTuple):
    """Picture of a page: its name, the page, the part to show, and the window.

    `path` is another page of the same site, which is opened from there.
    """

    name: str
    opened: Callable[[Path], AbstractContextManager[str]]
    part: str = ""
    width: int = 1000
    height: int = 640
    path: str = ""


def page(name: str) -> Callable[[Path], AbstractContextManager[str]]:
    """Yield the address of a page of the results."""

    @contextlib.contextmanager
    def opened(results: Path) -> Iterator[str]:
        yield (results / name).resolve().as_uri()

    return opened


@contextlib.contextmanager
def larger_class(results: Path) -> Iterator[str]:
    """Yield the address of the page of a class of 60, sampled from the sample's records."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        index = Path(folder, "index.html")
        index.write_text(page_of(results, 60), encoding="utf-8")
        yield index.as_uri()


@contextlib.contextmanager
def desk(results: Path) -> Iterator[str]:
    """Yield an address of a running desk, which admits one browser."""
    command = [sys.executable, "-m", "autograder", "desk", str(results), "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as served:
        try:
            yield next(line for line in served.stdout if "?token=" in line).split()[-1]
        finally:
            served.send_signal(signal.SIGINT)


SHOTS = (
    Shot("feedback", page("feedback/s06.html"), "section.exercise:has(h2:text-is('Softmax'))", 800),
    Shot("desk", desk, width=1100, height=760, path="/students/s06"),
    Shot("class", larger_class, width=1100, height=600),
    Shot("map", larger_class, "table.map", height=460),
)


def main(results: Path, names: list[str]) -> int:
    """Make the named pictures, or all. Return 1 if one is too large."""
    from tests.browser import chromium

    FOLDER.mkdir(exist_ok=True)
    wanted = names or ["terminal", *(shot.name for shot in SHOTS)]
    made: dict[str, bytes] = {}
    if "terminal" in wanted:
        said = terminal()
        made |= {f"terminal-{scheme}.svg": drawn(said, scheme).encode() for scheme in SCHEMES}
    shots = [shot for shot in SHOTS if shot.name in wanted]
    if shots:
        with chromium() as browser:
            for shot in shots:
                for scheme in SCHEMES:
                    with shot.opened(results) as address:
                        made[f"{shot.name}-{scheme}.png"] = taken(browser, shot, address, scheme)
    for name, data in made.items():
        (FOLDER / name).write_bytes(data)
        print(f"{FOLDER / name}  {len(data) / 1000:.0f} kB")
    return int(any(len(data) > LARGEST for data in made.values()))


def terminal() -> str:
    """Return the coloured output of `autograder check softmax` for a wrong softmax."""
    from tests.student.terminal import Terminal

    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        Path(folder, "softmax.py").write_text(WRONG, encoding="utf-8")
        arguments = ("check", "softmax.py", "--course", ROOT)
        shown = Terminal(*arguments, cwd=folder, columns=COLUMNS, PYTHONPATH=str(ROOT))
        while shown.read(60):
            pass
        os.waitpid(shown.process, 0)
    lines = shown.said.replace("\r\n", "\n").strip("\n").split("\n")
    return "\n".join(["$ autograder check softmax", *lines[:LINES], ""])


def drawn(said: str, scheme: str) -> str:
    """Return terminal output as SVG without external fonts."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(said))
    back, fore, *colours = [_rgb(each) for each in (LIGHT if scheme == "light" else DARK)]
    normal = [back, *colours, fore]
    return console.export_svg(
        title="autograder",
        theme=TerminalTheme(back, fore, normal, normal),
        code_format=REMOTE_FONTS.sub("", CONSOLE_SVG_FORMAT),
        unique_id="report",
    )


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def taken(browser, shot: Shot, address: str, scheme: str) -> bytes:
    """Return a page, or a part of it, as a PNG with few colours."""
    size = {"width": shot.width, "height": shot.height}
    window = browser.new_page(viewport=size, color_scheme=scheme)
    window.goto(address)
    if shot.path:
        window.wait_for_url("**/")
        window.goto(urljoin(address, shot.path))
    clip = None
    if shot.part:
        clip = window.locator(shot.part).bounding_box()
        clip["height"] = min(clip["height"], shot.height)
    seen = window.screenshot(clip=clip, full_page=True) if clip else window.screenshot()
    window.close()
    return _few_colours(seen)


def _few_colours(data: bytes) -> bytes:
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    smaller = io.BytesIO()
    few = image.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(smaller, format="PNG", optimize=True)
    return smaller.getvalue()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
