"""The documents: complete, linked, and in step with the code that they describe."""

import re
import typing

import msgspec
import pytest

from autograder.course.course_file import Assignment, CourseFile, Exercise, HintPolicy, Limits
from autograder.course.lateness import LatePolicy
from autograder.report.model import CheckOutcome, Status
from tests.conftest import ROOT
from tests.documents.blocks import pages

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
SETTINGS = {
    "The course": CourseFile,
    "An exercise": Exercise,
    "An assignment": Assignment,
    "`late`": LatePolicy,
    "`limits`": Limits,
}


def headings(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for path, anchor in LINK.findall(text):
        if re.match(r"\w+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        if anchor:
            assert anchor in headings(target.read_text(encoding="utf-8")), f"{path}#{anchor}"


def test_the_index_lists_every_page():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = {(DOCS / path).resolve() for path, _ in LINK.findall(index)}
    moved = {DOCS / name for name in ("students.md", "instructors.md", "platforms.md")}
    there = {path for path in DOCS.rglob("*.md") if "maintainers" not in path.parts}
    assert there - moved - {DOCS / "README.md"} <= listed


def test_a_moved_page_leads_to_the_new_ones():
    for name in ("students.md", "instructors.md", "platforms.md"):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert "moved" in text.splitlines()[0] and len(LINK.findall(text)) > 4


@pytest.mark.parametrize("heading", SETTINGS)
def test_every_field_of_course_yml_is_described(heading):
    text = (DOCS / "reference" / "course-yml.md").read_text(encoding="utf-8")
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    described = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(described) == sorted(
        field.name for field in msgspec.structs.fields(SETTINGS[heading])
    )


def test_every_status_outcome_and_policy_is_described():
    statuses = (DOCS / "reference" / "statuses.md").read_text(encoding="utf-8")
    first, _, second = statuses.partition("## Outcomes")
    assert set(re.findall(r"^\| ([a-z ]+?)(?: \(`.`\))? \|", first, re.MULTILINE)) - {"status"} == {
        *typing.get_args(Status),
        "excused",
    }
    outcomes = set(re.findall(r"^\| ([a-z ]+?)(?: \(`.`\))? \|", second, re.MULTILINE)) - {
        "outcome"
    }
    assert outcomes == set(typing.get_args(CheckOutcome))
    policies = (DOCS / "reference" / "hint-policies.md").read_text(encoding="utf-8")
    assert re.findall(r"`(\w+)`", policies.partition("\n| |")[2].splitlines()[0]) == list(
        typing.get_args(HintPolicy)
    )


def test_the_readme_says_what_it_is_and_how_to_run_it_on_the_first_screen():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    screen = "\n".join(text.splitlines()[:28])
    for words in ("make demo ", "make test ", "needs Linux", "Students", "Instructors", "Authors"):
        assert words in screen, words


def test_the_project_has_one_name():
    name = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    assert name.lower().replace(" ", "-") in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'html_title = "{name}"' in (DOCS / "conf.py").read_text(encoding="utf-8")
