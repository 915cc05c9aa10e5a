"""Sanitizer of students' Markdown.

The library nh3 tests the page that nbgrader makes from a text.
"""

import functools
import html
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Attachments = dict[str, dict[str, str]]

MAX_FORMATTED = 20_000  # characters of a text; a longer text is shown unformatted
MAX_IN_ALL = 200_000  # characters of a notebook
MAX_CACHED = 5000  # characters of a text whose sanitized form is cached
# Limits on characters for which the renderer's time grows with the square of their number.
MAX_OF_A_SIGN = {"[": 500, "\\": 3000, "\\begin": 200}
SHOWN_AS_TYPED = "Shown as plain text: it is too long, or holds unsafe content."

LINK = re.compile(r"(https?://|mailto:|#)\S*", re.IGNORECASE)
PICTURE = re.compile(r"image/(png|jpeg|gif|webp|svg\+xml)")
BASE64 = re.compile(r"[A-Za-z0-9+/]*=*")
ALIGNED = re.compile(r"text-align:\s*(left|right|center);?")
TAGS = set(
    """
a blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr img input li ol p pre s span strong
sub sup table tbody td th thead tr ul
""".split()  # noqa: SIM905
)
ATTRIBUTES = {
    "*": {"align", "alt", "checked", "class", "disabled", "id", "start", "style", "title", "type"},
    "a": {"href"},
    "img": {"src"},
}
SCHEMES = {"http", "https", "mailto", "data"}
CODE = {"pre", "code"}  # MathJax ignores these elements
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ODD = re.compile(r"[^A-Za-z0-9 ]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPELLING = re.compile(r'\s|/(?=>)|=""')  # differences between two spellings of the same HTML
# Commands that MathJax turns into links, styles, attributes, loaded files or new commands.
_TEX = re.compile(
    r"\\(?=(href|url|style|class|cssId|data|require|unicode|mmlToken|html[A-Za-z]+|bbox"
    r"|includegraphics|verb|def|let|(re)?newcommand|newenvironment|DeclareMathOperator)\b)"
)


def harmless(text: str, attachments: Attachments, most: int = MAX_FORMATTED) -> str:
    """Return the text as Markdown. Links and pictures have only allowed targets.

    Links may use http, https and mailto. Pictures must be attachments of the cell. If there is
    another target, all links become plain text. A text of more than `most` characters is shown
    unformatted.
    """
    if attachments or len(text) > MAX_CACHED:
        return _harmless(text, most, attachments)
    return _cached_harmless(text, most)


def _harmless(text: str, most: int, attachments: Attachments) -> str:
    plain = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(plain) <= most and all(plain.count(sign) <= n for sign, n in MAX_OF_A_SIGN.items()):
        without_tags = _TAG.sub("&lt;", plain)
        # Break up every text that Markdown reads as a link, a picture or an address.
        for shown in (without_tags, re.sub(r"\](?=[(\[:])", r"]\\", without_tags)):
            if is_harmless(shown, attachments):
                return shown
    letters = _ODD.sub(lambda match: f"&#{ord(match[0])};", plain)
    return f"{SHOWN_AS_TYPED}\n\n<pre>{letters}</pre>"


# all students have the same handout
_cached_harmless = functools.lru_cache(256)(functools.partial(_harmless, attachments={}))


def as_markdown(text: str) -> str:
    """Return Markdown that nbgrader's pages show as exactly this text."""
    return harmless(re.sub(r"([\\`*_{}\[\]#|$~])", r"\\\1", html.escape(text, quote=False)), {})


def pictures(attachments: object) -> Attachments:
    by_name: Attachments = {}
    for name, types in attachments.items() if isinstance(attachments, Mapping) else ():
        for mime, data in types.items() if isinstance(types, Mapping) else ():
            text = "".join(data.split()) if isinstance(data, str) else "-"
            if PICTURE.fullmatch(str(mime)) and BASE64.fullmatch(text):
                by_name.setdefault(str(name), {})[str(mime)] = text
    return by_name


def is_harmless(text: str, attachments: Attachments) -> bool:
    """Return True if nh3 removes nothing from nbgrader's page of a text."""
    import nh3
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbconvert.filters.strings import strip_files_prefix

    addresses = {
        f"data:{mime};base64,{data}"
        for types in attachments.values()
        for mime, data in types.items()
    }
    allowed: dict[str, Callable[[str], bool]] = {
        "href": lambda value: LINK.fullmatch(value) is not None,
        "src": addresses.__contains__,
        "style": lambda value: ALIGNED.fullmatch(value) is not None,
        "type": "checkbox".__eq__,
        "class": lambda value: "mermaid" not in value.lower(),
    }

    def checked(_: str, name: str, value: str) -> str | None:
        return value if name not in allowed or allowed[name](value) else None

    without_prefix: Callable[[str], str] = strip_files_prefix
    renderer = IPythonRenderer(escape=False, attachments=attachments)
    try:
        page = without_prefix(MarkdownWithMath(renderer=renderer).render(text))
    except Exception:  # the page could not be shown at all
        return False
    clean = nh3.clean(
        page,
        tags=TAGS,
        clean_content_tags=set(),
        attributes=ATTRIBUTES,
        attribute_filter=checked,
        url_schemes=SCHEMES,
        link_rel=None,
    )
    if _as_one_spelling(clean) != _as_one_spelling(page):
        return False
    prose = nh3.clean(clean, tags=set(), clean_content_tags=CODE)
    return _TEX.search(html.unescape(prose)) is None


def _as_one_spelling(page: str) -> str:
    return _SPELLING.sub("", html.unescape(page))


def disarm(cells: Iterable[Any]) -> None:
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
            cell.source = _TEX.sub("\\\\\u2060", html.escape(cell.source, quote=False))
