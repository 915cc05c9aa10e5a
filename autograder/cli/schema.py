"""`autograder schema`: the published shape of the records."""

import json

import click
import msgspec

from autograder.course.course_file import CourseFile
from autograder.report.model import Report


@click.command()
@click.argument("of", type=click.Choice(["report", "course"]), default="report")
def schema(of: str) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    print(json.dumps(msgspec.json.schema(Report if of == "report" else CourseFile), indent=2))
