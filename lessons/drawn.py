"""Figures as files: drawn anew when their code has changed, which each file says of itself."""

import functools
import hashlib
import importlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from lessons.style import Card

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "exercises" / "figures"
LARGEST = 60_000  # bytes of one file
DOTS, COLOURS = 128, 64
SAID = "Drawn-by"  # where a file keeps the digest of the code that drew it


class Figure:
    """A figure of a lesson: its name, what draws it, and the digest of that."""

    def __init__(self, name: str, lesson: str, draw: Callable[[], Card]) -> None:
        self.name = name
        self.draw = draw
        self.path = FOLDER / f"{name}.png"
        self.digest = _digest(HERE / f"{lesson}.py")

    def is_current(self) -> bool:
        """Whether the file was drawn by the code as it is now."""
        from PIL import Image

        if not self.path.is_file():
            return False
        with Image.open(self.path) as image:
            return bool(image.info.get(SAID) == self.digest)

    def write(self) -> int:
        """Draw it, and write the file; returns its size in bytes."""
        data = as_png(self.draw(), self.digest)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(data)
        return len(data)


def figures(lessons: list[str]) -> Iterator[Figure]:
    """All figures of these lessons, in their order.

    Raises:
        ModuleNotFoundError: a lesson has no module here.
    """
    for lesson in lessons:
        module = importlib.import_module(f"lessons.{lesson}")
        for name, draw in module.FIGURES.items():
            yield Figure(name, lesson, draw)


def as_png(card: Card, digest: str) -> bytes:
    """A picture of few colours, small enough for a notebook to carry."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    canvas = FigureCanvasAgg(card.figure)
    card.figure.set_dpi(DOTS)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba()))
    few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    about = PngInfo()
    about.add_text(SAID, digest)
    data = io.BytesIO()
    few.save(data, format="PNG", optimize=True, pnginfo=about)
    return data.getvalue()


@functools.cache
def _digest(path: Path) -> str:
    """SHA-256 of a lesson's drawing code, and of what all of them share."""
    shared = (HERE / "style.py").read_bytes() + Path(__file__).read_bytes()
    return hashlib.sha256(shared + path.read_bytes()).hexdigest()
