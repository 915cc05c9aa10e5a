"""What GitHub shows at a line of the student's file: workflow commands, one a failed check."""

from collections.abc import Sequence

from autograder.report.ci.case import Shown, cases_of

MOST = 10  # of one step; GitHub shows no more


def annotations(shown: Sequence[Shown]) -> list[str]:
    """The commands, each a line of the job's log; the first failures, one line of a file once."""
    found: dict[tuple[str, int | None], str] = {}
    for each in shown:
        for case in cases_of(each):
            if case.state not in {"failed", "error"}:
                continue
            at = {"file": each.path, "line": str(case.line or 1), "title": case.name}
            about = ",".join(f"{key}={_property(value)}" for key, value in at.items() if value)
            found.setdefault((each.path, case.line), f"::error {about}::{_data(case.message)}")
    return list(found.values())[:MOST]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
