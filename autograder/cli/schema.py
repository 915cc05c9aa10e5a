"""`autograder schema`: the published shape of the records."""

import json

import msgspec

from autograder.course.course_file import CourseFile
from autograder.report.model import Report


def run(of: str) -> int:
    print(json.dumps(msgspec.json.schema(Report if of == "report" else CourseFile), indent=2))
    return 0
