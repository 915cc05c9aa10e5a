"""`python -m tools.docs_site OUT`: make the documentation site with Sphinx, MyST and Furo.

The first page is the README. The pages of docs/ follow, then one page per lesson. A lesson's page
is made from the student's notebook, so it has no solution. Formulas become MathML. No page loads
anything from another site. A broken link or any other warning is an error.
"""

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS, HANDED_OUT = ROOT / "docs", ROOT / "exercises"
PICTURES = "pictures"
FOLDERS = {"Tutorials": "tutorials", "How-to guides": "how-to", "Reference": "reference"}
FOLDERS |= {"Explanation": "explanation", "Maintainers": "maintainers"}
GROUPS = {  # in the order of the site's list; a folder's other pages come after those named here
    "Start": ["README", "troubleshooting", "faq", "glossary"],
    "Tutorials": ["tutorials/first-exercise", "tutorials/first-class", "authors"],
    "How-to guides": [
        "how-to/work-on-exercises",
        "how-to/hand-out",
        "how-to/grade",
        "nbgrader",
        "clusters",
    ],
    "Reference": ["reference/commands", "reference/course-yml", "api", "lessons"],
    "Explanation": [
        *("explanation/naming-mistakes", "explanation/promises", "explanation/student-kits"),
        *("confinement", "threat-model", "verification", "verified", "unseen", "bad-notebooks"),
        "errata",
    ],
    "Maintainers": ["maintainers"],
    "Moved": ["students", "instructors", "platforms"],
}
ABOUT = ["CONTRIBUTING", "CHANGELOG"]
TITLES = {"verified": "Results of verify", "unseen": "Unknown mistakes"}
LINK = re.compile(r"(\]\(|src=\"|srcset=\")(?:docs/)?([^)\"\s]+)")
FOR_EVERYBODY = {  # changes in the theme's pages for screen readers and the keyboard
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    "<pre>": '<pre tabindex="0">',  # long lines scroll
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<div class="math-wrapper': '<div tabindex="0" class="math-wrapper',
    '<th class="head"><p></p></th>': "<td></td>",
}
PICTURE = re.compile(r"\]\((?:attachment:|\.\./exercises/figures/|figures/)([\w-]+\.png)\)")


def main(out: Path) -> int:
    """Make the site in an emptied folder. Return 1 if there was a warning."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory(prefix="site-") as scratch:
        source, doctrees = Path(scratch, "source"), Path(scratch, "doctrees")
        collect(source)
        shutil.rmtree(out, ignore_errors=True)
        options = ["-q", "-W", "--keep-going", "-E", "-c", str(DOCS), "-d", str(doctrees)]
        code = build_main([*options, "-b", "html", str(source), str(out)])
    (out / ".buildinfo").unlink(missing_ok=True)
    if (DOCS / PICTURES).is_dir():  # Sphinx does not see the pictures in HTML tags
        shutil.copytree(DOCS / PICTURES, out / PICTURES, dirs_exist_ok=True)
    for page in out.rglob("*.html"):
        page.write_text(_for_everybody(page.name, page.read_text("utf-8")), encoding="utf-8")
    return code


def _for_everybody(name: str, text: str) -> str:
    for theirs, ours in FOR_EVERYBODY.items():
        text = text.replace(theirs, ours)
    if name == "search.html":
        text = text.replace("<noscript>", "<h1>Search</h1>\n<noscript>", 1)
    return text


def collect(source: Path) -> None:
    """Copy all sources of the site into a folder."""
    (source / "lessons").mkdir(parents=True)
    for path in [*DOCS.rglob("*.md"), *(ROOT / f"{name}.md" for name in ABOUT)]:
        text = path.read_text(encoding="utf-8")
        page = source / (path.relative_to(DOCS) if path.is_relative_to(DOCS) else path.name)
        page.parent.mkdir(exist_ok=True)
        page.write_text(_page(path.stem, text), encoding="utf-8")
    shutil.copy(DOCS / "report.schema.json", source)
    shutil.copytree(HANDED_OUT / "figures", source / "figures")
    for notebook in sorted(HANDED_OUT.glob("*.ipynb")):
        page = source / "lessons" / f"{notebook.stem}.md"
        page.write_text(lesson(notebook), encoding="utf-8")
    (source / "index.md").write_text(_front(), encoding="utf-8")


def _page(name: str, text: str) -> str:
    """Return a page of docs/ in the form of the site."""
    text = PICTURE.sub(r"](figures/\1)", text).replace(
        "](../CONTRIBUTING.md)", "](CONTRIBUTING.md)"
    )
    if name in TITLES:
        text = f"# {TITLES[name]}\n\n{text}"
    if name in ABOUT:
        text = LINK.sub(r"\1\2", text)
    if name == "lessons":
        text = re.sub(r"^`(\w+)`\.", r"[Read it](lessons/\1.md) (`\1`).", text, flags=re.MULTILINE)
        names = re.findall(r"\]\((lessons/\w+\.md)\)", text)
        text += _tree("", [name.removesuffix(".md") for name in names])
    return text


def _front() -> str:
    """Return the README with the list of all pages."""
    text = LINK.sub(r"\1\2", (ROOT / "README.md").read_text(encoding="utf-8"))
    pages = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    named = {name for names in GROUPS.values() for name in names}
    more = [page for page in pages if page not in named]
    groups = {}
    for caption, names in GROUPS.items():
        folder = FOLDERS.get(caption, "none")
        groups[caption] = [*names, *(page for page in more if page.startswith(f"{folder}/"))]
    listed = {name for names in groups.values() for name in names}
    others = [page for page in pages if page not in listed]
    groups |= {"More": others} if others else {}
    trees = [_tree(caption, names) for caption, names in groups.items()]
    return text + "".join([*trees, _tree("About", ABOUT)])


def _tree(caption: str, names: list[str]) -> str:
    title = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n:hidden:\n" + title + "\n" + "\n".join(names) + "\n```\n"


def lesson(notebook: Path) -> str:
    """Return a lesson as a page: its text, pictures and stub."""
    parts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source, name = "".join(cell["source"]), cell["id"]
        if name.startswith("check-"):
            parts.append(f"```sh\nautograder check {notebook.stem}\n```")
        elif name.startswith("about-check-"):
            parts.append("## Check your work\n\nIt shows your points, and where something differs.")
        elif "answer" in cell["metadata"]:
            parts.append("> Your answer goes here.")
        elif cell["cell_type"] == "code":
            parts.append(f"```python\n{source}\n```")
        else:
            parts.append(PICTURE.sub(r"](../figures/\1)", source))
    return "\n\n".join(parts) + "\n"


def formula(writer, node) -> None:
    """Write an inline formula as MathML."""
    _as_mathml(writer, node.astext(), block=False)


def formula_block(writer, node) -> None:
    """Write a displayed formula as MathML."""
    _as_mathml(writer, node.astext(), block=True)


def _as_mathml(writer, text: str, block: bool) -> None:
    from docutils.nodes import SkipNode
    from docutils.utils.math.latex2mathml import tex2mathml

    spelt = text.replace(r"\dots", r"\ldots")  # as the converter names it
    writer.body.append(tex2mathml(spelt, as_block=block))
    raise SkipNode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
