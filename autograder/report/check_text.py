"""One check that its student may see, as text and as HTML, for platforms that show one or other."""

from autograder.report.html import environment
from autograder.report.model import CheckReport
from autograder.report.panels import evidence_lines
from autograder.report.terminal import INDENT, check_lines
from autograder.report.told import diagnosed
from autograder.report.wrap import plain

MAX_TEXT = 20_000  # characters of one check


def check_text(check: CheckReport) -> str:
    """What went wrong, the values side by side, and hints; empty if there is nothing to say."""
    lines = list(check_lines(check, with_values=True, said=set()))[1:]
    return "\n".join(plain(line).removeprefix(INDENT).rstrip() for line in lines)[:MAX_TEXT]


def first_line(check: CheckReport) -> str:
    """The sentence to act on; for a failed check there always is one."""
    if check.outcome == "passed":
        return ""
    if check.diagnosis is not None:
        return diagnosed(check)
    if check.finding:
        return check.finding
    return "This check does not show its inputs." if check.hidden else "This check failed."


def check_html(check: CheckReport) -> str:
    """The same as a piece of HTML that needs no style: where one is taken out, it still reads."""
    values = ""
    if check.outcome != "passed" and check.evidence is not None:
        values = "\n".join(plain(line) for line in evidence_lines(check.evidence))[:MAX_TEXT]
    text: str = environment().get_template("check.html").render(check=check, values=values)
    return text
