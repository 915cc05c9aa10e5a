"""Students' Markdown, so that nothing in it acts on whoever reads it in nbgrader's pages.

What counts is what the pages make of a text: it is rendered as they render it, and looked at.
"""

import functools
import html
import re
from collections.abc import Callable, Iterable, Mapping
from html.parser import HTMLParser
from typing import Any

Attachments = dict[str, dict[str, str]]

MAX_FORMATTED = 20_000  # characters of a text; what is longer is shown as it was typed
MAX_IN_ALL = 200_000  # characters of a notebook
MAX_KEPT = 5000  # characters of a text whose harmless form is remembered
# The renderer takes a time that grows with the square of these.
MOST = {"[": 500, "\\": 3000, "\\begin": 200}
SHOWN_AS_TYPED = "Shown as it was typed: it is long, or holds what is not opened here."

LINK = re.compile(r"(https?://|mailto:|#)\S*", re.IGNORECASE)
PICTURE = re.compile(r"image/(png|jpeg|gif|webp|svg\+xml)")
BASE64 = re.compile(r"[A-Za-z0-9+/]*=*")
ALIGNED = re.compile(r"text-align:\s*(left|right|center);?")
TAGS = frozenset(
    """
a blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr img input li ol p pre s span strong
sub sup table tbody td th thead tr ul
""".split()  # noqa: SIM905
)
ATTRIBUTES = {"align", "alt", "checked", "class", "disabled", "id", "start", "title", "type"}
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ODD = re.compile(r"[^A-Za-z0-9 ]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# What MathJax makes links, styles, attributes, loaded files or new commands of.
_TEX = re.compile(
    r"\\(?=(href|url|style|class|cssId|data|require|unicode|mmlToken|html[A-Za-z]+|bbox"
    r"|includegraphics|verb|def|let|(re)?newcommand|newenvironment|DeclareMathOperator)\b)"
)


def harmless(text: str, attachments: Attachments, most: int = MAX_FORMATTED) -> str:
    """The text as Markdown that opens and loads nothing but what may be.

    Links lead to http, https and mailto, pictures are the cell's own attachments. Where the text
    has others, its links are taken apart; where that does not help, or it has more than `most`
    characters, it is shown as it was typed.
    """
    if attachments or len(text) > MAX_KEPT:
        return _harmless(text, attachments, most)
    return _known_harmless(text, most)


@functools.lru_cache(maxsize=256)
def _known_harmless(text: str, most: int) -> str:
    """Remembered: what was handed out comes back from everybody."""
    return _harmless(text, {}, most)


def _harmless(text: str, attachments: Attachments, most: int) -> str:
    plain = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(plain) <= most and all(plain.count(each) <= MOST[each] for each in MOST):
        for shown in (without_tags(plain), _without_links(plain)):
            if is_harmless(shown, attachments):
                return shown
    return _as_typed(plain)


def harmless_html(text: str) -> str:
    """The text for a place that takes it for HTML."""
    return _TEX.sub("\\\\\u2060", html.escape(text, quote=False))


def as_markdown(text: str) -> str:
    """Text that shows as it is where nbgrader takes it for Markdown with HTML in it."""
    shown = html.escape(text, quote=False)
    return harmless(re.sub(r"([\\`*_{}\[\]#|$~])", r"\\\1", shown), {})


def pictures(attachments: object) -> Attachments:
    """Those of a cell's attachments that are pictures."""
    found: Attachments = {}
    for name, kinds in attachments.items() if isinstance(attachments, Mapping) else ():
        for kind, data in kinds.items() if isinstance(kinds, Mapping) else ():
            text = "".join(data.split()) if isinstance(data, str) else "-"
            if PICTURE.fullmatch(str(kind)) and BASE64.fullmatch(text):
                found.setdefault(str(name), {})[str(kind)] = text
    return found


def without_tags(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _without_links(text: str) -> str:
    """The text, with nothing in it that Markdown takes for a link, a picture or their address."""
    return re.sub(r"\](?=[(\[:])", r"]\\", without_tags(text))


def _as_typed(text: str) -> str:
    """The text letter by letter: of what Markdown or MathJax has a meaning for, nothing is left."""
    shown = _ODD.sub(lambda found: f"&#{ord(found[0])};", text)
    return f"{SHOWN_AS_TYPED}\n\n<pre>{shown}</pre>"


def is_harmless(text: str, attachments: Attachments) -> bool:
    """Whether nothing outside the allowed is left when the pages render the text."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbconvert.filters.strings import strip_files_prefix

    strip: Callable[[str], str] = strip_files_prefix
    renderer = IPythonRenderer(escape=False, attachments=attachments)
    try:
        page = strip(MarkdownWithMath(renderer=renderer).render(text))
    except Exception:  # the page would not be shown at all
        return False
    addresses = {
        f"data:{kind};base64,{data}"
        for kinds in attachments.values()
        for kind, data in kinds.items()
    }
    found = _Page(addresses)
    found.feed(page)
    found.close()
    return found.is_harmless


class _Page(HTMLParser):
    """Looks for what acts in a page."""

    def __init__(self, pictures: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.pictures = pictures
        self.is_harmless = True
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in {"pre", "code"}
        fine = tag in TAGS and all(self._is_fine(tag, name, value or "") for name, value in attrs)
        self.is_harmless = self.is_harmless and fine

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in {"pre", "code"} and self._code > 0

    def handle_data(self, data: str) -> None:
        if not self._code and _TEX.search(data):  # MathJax leaves code alone
            self.is_harmless = False

    def handle_comment(self, _: str) -> None:
        self.is_harmless = False

    def handle_decl(self, _: str) -> None:
        self.is_harmless = False

    def handle_pi(self, _: str) -> None:
        self.is_harmless = False

    def unknown_decl(self, _: str) -> None:
        self.is_harmless = False

    def _is_fine(self, tag: str, name: str, value: str) -> bool:
        if name == "href":
            return tag == "a" and LINK.fullmatch(value) is not None
        if name == "src":
            return tag == "img" and value in self.pictures
        if name == "style":
            return ALIGNED.fullmatch(value) is not None
        if name == "type":
            return value == "checkbox"
        return name in ATTRIBUTES and not (name == "class" and "mermaid" in value.lower())


def take_force_out(cells: Iterable[Any]) -> None:
    """Take the force out of a notebook's cells that are no code, and out of what is attached."""
    left = MAX_IN_ALL
    for cell in cells:
        attachments = pictures(cell.pop("attachments", None))
        if cell.cell_type == "markdown":
            most = min(left, MAX_FORMATTED)
            left -= min(len(cell.source), most)
            cell.source = harmless(cell.source, attachments, most)
            if attachments:
                cell.attachments = attachments
        elif cell.cell_type != "code":
            cell.source = harmless_html(cell.source)
