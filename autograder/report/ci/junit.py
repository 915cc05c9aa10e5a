"""JUnit's XML, which nearly every test dashboard reads."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from autograder.report.ci.case import CheckCase, Shown, cases_of, counts
from autograder.text import number

# What XML 1.0 has no way to write.
_FORBIDDEN = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(shown: Sequence[Shown]) -> bytes:
    """A suite an exercise, a case a check. There are no times, so the same work gives the same."""
    suites = [(each, cases_of(each)) for each in shown]
    root = ET.Element("testsuites", _counted("autograder", [c for _, cs in suites for c in cs]))
    for each, cases in suites:
        suite = ET.SubElement(root, "testsuite", _counted(each.title, cases))
        given = {"points": each.exercise.points, "maximum": each.exercise.max_points}
        properties = ET.SubElement(suite, "properties")
        for name, value in given.items():
            ET.SubElement(properties, "property", {"name": name, "value": number(value)})
        for case in cases:
            _add(suite, each, case)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _counted(name: str, cases: Sequence[CheckCase]) -> dict[str, str]:
    count = counts(cases)
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": str(count["failed"]),
        "errors": str(count["error"]),
        "skipped": str(count["skipped"]),
    }


def _add(suite: ET.Element, shown: Shown, case: CheckCase) -> None:
    about = {"name": _clean(case.name), "classname": _clean(shown.title)}
    if shown.path:
        about["file"] = _clean(shown.path)
    if case.line is not None:
        about["line"] = str(case.line)
    element = ET.SubElement(suite, "testcase", about)
    if case.state == "passed":
        return
    kind = {"failed": "failure", "error": "error", "skipped": "skipped"}[case.state]
    inner = ET.SubElement(element, kind, {"message": _clean(case.message)})
    if case.state != "skipped":
        inner.set("type", case.state)
        inner.text = _clean(case.details)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
