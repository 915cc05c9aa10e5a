"""Students' texts in nbgrader's pages: nothing in them opens, loads or runs; the rest stays."""

import functools
import itertools
import re

import bs4
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from autograder.nbgrader.sanitize_markdown import as_markdown, harmless, pictures
from autograder.nbgrader.steps import EscapeTexts
from tests.conftest import ROOT

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TARGETS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "javascript&colon;alert(1)",
    "javascript&#58;alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A;avascript:alert(1)",
    "java&Tab;script:alert(1)",
    "java&NewLine;script:alert(1)",
    "java\tscript:alert(1)",
    "java\x01script:alert(1)",
    "\x01javascript:alert(1)",
    "%20javascript:alert(1)",
    "javascript\\:alert(1)",
    "files/javascript:alert(1)",
    "/files/javascript:alert(1)",
    "vbscript:x",
    "data:text/html,x",
    "data:text/html;base64,PHNjcmlwdD4=",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "data:image/png;base64," + PNG,
    "file:///etc/passwd",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "/hub/logout",
    "../../logout",
    "x.html",
    "blob:https://a.b/c",
    "view-source:x",
    "intent://x",
    "attachment:no.png",
]
FORMS = [
    "[x]({})",
    "[x](<{}>)",
    '[x]({} "title")',
    "[x]( {} )",
    "[x][y]\n\n[y]: {}",
    "[x][]\n\n[x]: {}",
    "[x]\n\n[x]: {}",
    "[x]\n\n[x]:\n  {}\n  'title'",
    "[x]\n\n[X]: <{}>",
    "<{}>",
    "![x]({})",
    "![x][y]\n\n[y]: {}",
    "![x]\n\n[x]: {}",
    "[![x]({0})]({0})",
    "[![x](attachment:a.png)]({})",
    "[a [b](https://x.org) c]({})",
    '<a href="{}">x</a>',
    "<img src='{}'>",
    "<svg/onload={}>",
    '<a\nhref="{}">x</a>',
]
PLACES = [
    "{}",
    "> {}",
    "- a\n- {}",
    "1. {}",
    "# {}",
    "**{}**",
    "~~{}~~",
    "|a|\n|-|\n|{}|",
    "Term\n: {}",
    "- [ ] {}",
    "$a$ {} $b$",
    "`a` {} `b`",
    "$$ x $$\n\n{}",
]
TRICKS = [
    "![](https://evil.example/seen.png)",
    "![](http://evil.example/seen.png)",
    "![x][y]\n\n[y]: https://evil.example/seen.png",
    "$\\href{javascript:alert(1)}{x}$",
    "$$\\href{javascript:alert(1)}{x}$$",
    "\\begin{align}\\href{javascript:alert(1)}{x}\\end{align}",
    "$&#92;href{javascript:alert(1)}{x}$",
    "$\\require{html}\\style{position:fixed}{x}$",
    "$\\class{btn}{x}\\cssId{y}{z}$",
    "$\\def\\x{\\url{javascript:alert(1)}}\\x$",
    '```mermaid\ngraph TD\nclick A href "javascript:alert(1)"\n```',
    "```mermaid\n<img src=x onerror=alert(1)>\n```",
    '```x" onload="alert(1)\n```',
    "<script>alert(1)</script>",
    "<<script>alert(1)//<</script>",
    "<!-- x --><script>alert(1)</script>",
    "&lt;script>alert(1)&lt;/script>",
    '# x" onclick="alert(1)',
    '![x](attachment:a.png "t\\" onload=\\"alert(1)")',
    '[x](https://a.b/"onclick="alert(1))',
    "[x](https://a.b 'x\" onclick=\"alert(1)')",
    "</div></body><script>alert(1)</script>",
    "[" * 30_000,
    "![x](" * 5_000,
    "$" * 30_000 + "[x](javascript:alert(1))",
    "a" * 30_000 + "[x](javascript:alert(1)) $\\href{javascript:alert(1)}{x}$",
]
COMBINED = [
    place.format(form.format(target))
    for place, (form, target) in itertools.product(PLACES[:1], itertools.product(FORMS, TARGETS))
] + [
    place.format(form.format(target))
    for place, form, target in itertools.product(
        PLACES[1:], FORMS[:15:3], ("javascript:alert(1)", "java&Tab;script:alert(1)", "/hub/logout")
    )
]

EVENT = re.compile(r"on[a-z]+$")
LINK = re.compile(r"(https?://|mailto:|#)\S*$", re.IGNORECASE)
ATTACHED = {"a.png": {"image/png": PNG}}


@functools.cache
def exporter(template):
    return HTMLExporter(template_name=template)


def page(cells, template="lab"):
    """A notebook after our step, as nbconvert's own exporter shows it; every cell's tags."""
    book = new_notebook(cells=cells)
    EscapeTexts().preprocess(book, {})
    nbformat.validate(book)
    text, _ = exporter(template).from_notebook_node(book)
    return bs4.BeautifulSoup(text, "html.parser")


def harm(soup):
    """What acts in the cells of a page."""
    found = []
    for cell in soup.select("main, #notebook-container"):
        for tag in cell.find_all(True):
            if tag.name in {
                "script",
                "iframe",
                "object",
                "embed",
                "form",
                "base",
                "meta",
                "svg",
                "style",
            }:
                found.append(str(tag)[:200])
            if "mermaid" in " ".join(tag.get("class") or []).lower():
                found.append(str(tag)[:200])
            for name, value in tag.attrs.items():
                if EVENT.match(name) or name in {"srcset", "action", "formaction", "background"}:
                    found.append(str(tag)[:200])
                if name in {"href", "xlink:href"} and not LINK.match(value):
                    found.append(str(tag)[:200])
                if name == "src" and value != f"data:image/png;base64,{PNG}":
                    found.append(str(tag)[:200])
        for skipped in cell.find_all(["pre", "code"]):
            skipped.extract()
        found += re.findall(
            r"\\(?:href|url|style|class|cssId|require|def)\b.{,60}", cell.get_text()
        )
    return found


def markdown(text):
    return new_markdown_cell(text, attachments=ATTACHED)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("template", ["lab", "classic"])
def test_no_link_or_picture_outside_the_list_remains(template):
    for start in range(0, len(COMBINED), 400):  # a page each, as long as a notebook may be
        assert (
            harm(page([markdown(text) for text in COMBINED[start : start + 400]], template)) == []
        )


@pytest.mark.parametrize("text", TRICKS, ids=range(len(TRICKS)))
def test_other_ways_to_act(text):
    assert harm(page([markdown(text)])) == []


WORD = (
    st.sampled_from(
        [
            "[",
            "]",
            "(",
            ")",
            "<",
            ">",
            "!",
            ":",
            "\\",
            "`",
            "```",
            "$",
            "$$",
            "\n",
            "\n\n",
            " ",
            "    ",
            '"',
            "'",
        ]
    )
    | st.sampled_from(
        [
            "x",
            "javascript:alert(1)",
            "/hub/logout",
            "https://a.b",
            "&#106;",
            "&colon;",
            "|",
            "- ",
            "> ",
            "#",
        ]
    )
    | st.sampled_from(
        [
            "[x]: ",
            "](",
            "![",
            "<a href=",
            "\\href{javascript:a}{b}",
            "attachment:a.png",
            "files/",
            "~~~",
            "mermaid",
        ]
    )
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(WORD, max_size=14).map("".join), min_size=10, max_size=20))
def test_texts_made_of_the_pieces_of_attacks(texts):
    assert harm(page([markdown(text) for text in texts])) == []


def test_raw_cells_and_what_else_a_cell_may_carry():
    cells = [
        new_raw_cell("<img src=x onerror=alert(1)> $\\href{javascript:alert(1)}{x}$"),
        new_raw_cell("&lt;script&gt;", metadata={"raw_mimetype": "text/html"}),
        new_raw_cell("$&#92;href{javascript:alert(1)}{x}$"),
        new_code_cell("'[x](javascript:alert(1))' '<script>'"),
        new_markdown_cell("![x](attachment:a)", attachments={"a": {"text/html": "PHNjcmlwdD4="}}),
        new_markdown_cell("![x](attachment:a)", attachments={"a": {"image/png": '"onload="x'}}),
        new_markdown_cell("![x](attachment:a)", attachments={"a": {'image/png"x="': PNG}}),
    ]
    for template in ("lab", "classic"):
        assert harm(page(cells, template)) == []


def shown(text):
    return page([markdown(text)]).select_one("main")


def test_what_may_be_stays():
    text = (
        "# A title\n\n*Soft* **max** of $a_i < b$ and $x[0](y)$, `a[0](x)`; [a](https://a.b/c?d=e#f), "
        "[m](mailto:a@b.c), https://plain.example, ![p](attachment:a.png)\n\n$$\\frac{a}{b}$$\n\n"
        "| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n1. one\n2. two\n\n- [x] done\n\n```python\nx[0](1)\n```\n\n"
        "[r][s]\n\n[s]: https://r.example"
    )
    soup = shown(text)
    links = {tag["href"] for tag in soup.find_all("a")}
    assert links >= {"https://a.b/c?d=e#f", "mailto:a@b.c", "https://plain.example"}
    assert "https://r.example" in links
    assert soup.find("img")["src"] == f"data:image/png;base64,{PNG}"
    assert soup.find("em") and soup.find("strong") and soup.find("table") and soup.find("ol")
    assert "$a_i < b$" in soup.get_text() and "$x[0](y)$" in soup.get_text()
    assert soup.find("code").get_text() == "a[0](x)"


@pytest.mark.parametrize(
    "bad", ["[x](javascript:alert(1))", "![x](https://a.b/c.png)", "[x][x]\n\n[x]: x.html"]
)
def test_a_bad_link_costs_the_links_and_not_the_text(bad):
    text = f"# A title\n\n*Soft* $a_b$\n\n{bad}\n"
    soup = shown(text)
    assert soup.find("h1") and soup.find("em") and "$a_b$" in soup.get_text()
    bare = [re.sub(r"[\\\s]", "", each) for each in (bad, soup.get_text())]
    assert bare[0] in bare[1]


def test_what_is_shown_as_typed_is_whole():
    text = "a **b**\n\n```mermaid\n<b> & `c` $\\href{x}{y}$ é 🦊\n```\n"
    assert shown(text).find("pre").get_text() == text


def test_the_texts_of_the_course_keep_their_form():
    for path in sorted((ROOT / "exercises").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                plain = re.sub("<(?=[A-Za-z/!?])", "&lt;", cell.source)
                assert harmless(cell.source, pictures(cell.get("attachments"))) == plain


@pytest.mark.parametrize("text", [*TRICKS[:21], *(form.format(TARGETS[0]) for form in FORMS)])
def test_comments_show_texts_as_they_are(text):
    assert harm(page([new_markdown_cell(as_markdown(text))])) == []


def test_what_is_remembered_of_a_text_is_not_for_one_with_pictures():
    text = "![here](attachment:a.png)"
    without = harmless(text, {})
    assert harmless(text, {"a.png": {"image/png": "AAAA"}}) == text
    assert harmless(text, {}) == without != text
