"""Gradescope's downloads, the upload of results, and a package that grades on Gradescope.

A download has folders `submission_NUMBER`, and `submission_metadata.yml` names the students. The
upload is a zip with a `results.json` for each submission of the download.

Gradescope unpacks the package, `autograder.zip`, into `/autograder/source`. A submission is in
`/autograder/submission`, and its metadata in `/autograder/submission_metadata.json`. The results go
to `/autograder/results/results.json`.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import yaml

from autograder.classroom.downloads import MOST_METADATA, Importer, Listing, Owner, Piece
from autograder.course.course_file import Course, Exercise, HiddenChecks, HintPolicy
from autograder.course.errors import UserError
from autograder.course.files import write_atomically, zipped
from autograder.course.text import few, number, one_line
from autograder.platforms.bundle import Files, bundle, template
from autograder.platforms.grade_one import grade_one, packaged_course, packaged_job
from autograder.platforms.gradebook import ExportFile, ExportRequest, name_of, names_note
from autograder.report.html import check_html
from autograder.report.model import ExerciseReport, HandIn, Report
from autograder.report.redaction import by_policy, for_student

PLATFORM = "gradescope"
METADATA = "submission_metadata.yml"
RESULTS = "results.json"
MAX_NAME = 300
MAX_NAMES = 5


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Loader of YAML that Ruby has written. It ignores the names of Ruby's classes."""


def _without_tag(loader: Any, _: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _without_tag)


def read(listing: Listing) -> Sequence[Piece]:
    """Return the pieces of all submissions. A team's submission belongs to all its members."""
    metadata = listing.text(METADATA, most=MOST_METADATA)
    if not metadata:
        raise UserError(
            f"{listing.root} has no readable {METADATA}. Gradescope's export has one beside the "
            f"submission folders. Unpack the export again, or name the zip itself."
        )
    try:
        data = yaml.load(metadata, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first_line = str(error).split("\n", 1)[0]
        raise UserError(
            f"{METADATA} cannot be read as YAML ({first_line:.100}). Download the export again."
        ) from None
    if not isinstance(data, dict):
        raise UserError(f"{METADATA} lists no submissions. Download the export again.")
    pieces = []
    for entry in listing.entries:
        about = data.get(entry.name)
        if isinstance(about, dict) and (owners := _owners(about.get(":submitters"))):
            when = _time(about.get(":created_at"))
            attempt = (when.isoformat() if when else "",)
            piece = Piece(entry=entry.name, owners=owners, attempt=attempt, whole=True, at=when)
            pieces.append(piece)
    return pieces


def _owners(submitters: object) -> tuple[Owner, ...]:
    owners = []
    for person in submitters if isinstance(submitters, list) else []:
        if isinstance(person, dict):
            values = [person.get(field) for field in (":name", ":sid", ":email")]
            name, sid, email = (
                str(value).strip() if isinstance(value, str | int) else "" for value in values
            )
            if key := sid or email or name:
                owners.append(Owner(key=key, id=sid, name=name, email=email))
    return tuple(owners)


def _time(value: object) -> datetime | None:
    if isinstance(value, dict):  # a time of Ruby on Rails
        value = value.get("utc")
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace(" UTC", "+00:00").replace(" Z", "+00:00"))
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


GRADESCOPE = Importer(
    name="gradescope",
    title="Gradescope",
    expected=f"folders such as submission_12345678 that {METADATA} names",
    recognise=lambda listing: len(listing.entries) - 1 if METADATA in listing.files else 0,
    read=read,
    also=lambda _: (METADATA,),
)


def results_of(
    report: Report, policy: HintPolicy, hidden: Callable[[str], HiddenChecks] = by_policy
) -> dict[str, Any]:
    shown = for_student(report, policy, hidden=hidden)
    exercises = zip(shown.exercises, report.exercises, strict=True)
    tests = [test for at, pair in enumerate(exercises, start=1) for test in _tests(str(at), *pair)]
    lines = [f"{exercise.title}: {_points(exercise)}" for exercise in shown.exercises]
    lines += [f"{each.title}: {each.repair.said}" for each in shown.exercises if each.repair]
    if shown.known_points is None and not shown.excused:  # Gradescope requires a number here
        lines.insert(0, "The 0 is not a grade: there are no points yet.")
    return {
        "score": shown.points,
        "output": "\n".join((*lines, *shown.changes, *shown.notes)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"status": shown.status, "grader": shown.grader.digest},
    }


def _points(exercise: ExerciseReport) -> str:
    if exercise.excused:
        return "excused"
    if exercise.status == "by hand":
        return f"a person gives its {number(exercise.max_points)} points"
    if exercise.known_points is None:
        return f"no points yet, {exercise.status}"
    so_far = " so far; a person must look at it" if exercise.status == "needs a person" else ""
    return f"{number(exercise.points)} of {number(exercise.max_points)}{so_far}"


def _tests(place: str, shown: ExerciseReport, full: ExerciseReport) -> list[dict[str, Any]]:
    """Return a test for each visible check.

    Gradescope has no status "needs review", so unknown points become a test without a score.
    """
    if not full.checks:
        if shown.excused:
            return [_test(place, shown.title, "excused")]
        reason = shown.reason or shown.status
        if shown.known_points is None:
            return [_test(place, shown.title, f"No points yet. {reason}", status="failed")]
        score = {"score": shown.known_points, "max_score": shown.max_points}
        return [_test(place, shown.title, reason, status="failed", **score)]
    tests = []
    for index, check in enumerate(shown.checks, start=1):
        fields: dict[str, object] = {"output_format": "html"}
        fields["status"] = "passed" if check.outcome == "passed" else "failed"
        if check.max_points and check.outcome != "error":
            fields |= {"score": check.points, "max_score": check.max_points}
        name = f"{shown.title}: {check.title}"
        tests.append(_test(f"{place}.{index}", name, check_html(check), **fields))
    if len(shown.checks) < len(full.checks):
        hidden = _test(
            f"{place}.{len(shown.checks) + 1}",
            f"{shown.title}: checks that are not shown",
            "",
            score=round(full.points - sum(check.points for check in shown.checks), 2),
            max_score=round(full.max_points - sum(check.max_points for check in shown.checks), 2),
            visibility="after_published",
        )
        tests.append(hidden)
    return tests


def _test(place: str, name: str, output: str, **fields: object) -> dict[str, Any]:
    return {
        "number": place,
        "name": name[:MAX_NAME],
        "name_format": "text",
        "output": output,
        "output_format": "text",
        "visibility": "visible",
        **fields,
    }


def results_zip(request: ExportRequest) -> ExportFile:
    without: list[str] = []
    files: dict[str, bytes] = {}
    for report in request.reports:
        hand_in = report.hand_in
        if hand_in is None or hand_in.platform != PLATFORM or not hand_in.entries:
            without.append(name_of(report))
            continue
        path = f"{hand_in.entries[0]}/{RESULTS}"
        if path not in files:  # a team's members share a path
            results = results_of(report, request.course.content.hints, request.course.hidden_checks)
            files[path] = msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"
    notes = names_note("No submission on Gradescope, so not exported", without)
    return ExportFile(zipped(files.items()), notes, left_out=bool(without))


class Settings(msgspec.Struct):
    """Gradescope's settings of an assignment, or of one student with an extension."""

    due_date: datetime | None = None
    total_points: str | float | None = None  # a text in Gradescope's file


class User(msgspec.Struct):
    id: int | str = ""
    email: str = ""
    name: str = ""
    assignment: Settings = msgspec.field(default_factory=Settings)


class Metadata(msgspec.Struct):
    """Fields of `submission_metadata.json` for this module."""

    id: int | str = ""
    created_at: datetime | None = None
    users: list[User] = []
    assignment: Settings = msgspec.field(default_factory=Settings)


def package(
    course: Course, exercises: Sequence[Exercise], index: str | None = None, repairs: bool = True
) -> Files:
    option = f"--extra-index-url '{index}' " if index else ""
    return bundle(course, exercises, repairs) | {
        "setup.sh": template("gradescope_setup.sh", INDEX=option),
        "run_autograder": template("gradescope_run.sh"),
    }


def run(root: Path) -> None:
    package = root / "source"
    known = read_metadata(root / "submission_metadata.json")
    course = with_due(packaged_course(package), known)
    job, hand_in = packaged_job(package), hand_in_of(known)
    exercises = [course.exercise(name) for name in job.exercises]
    student = hand_in.email or hand_in.name
    report = grade_one(course, exercises, root / "submission", hand_in, student, job.repairs)
    total = known.assignment.total_points
    if total is not None and float(total) != report.max_points:
        print(
            f"The exercises give {number(report.max_points)} points, and the assignment on "
            f"Gradescope has {number(float(total))}. Set both to the same number, unless people "
            f"also give points on Gradescope."
        )
    print(f"Confined: {report.grader.confinement}. Status: {report.status}.")
    results = results_of(report, course.content.hints, course.hidden_checks)
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    write_atomically(folder / RESULTS, msgspec.json.encode(results))


def read_metadata(path: Path) -> Metadata:
    """Read Gradescope's metadata of a submission. Unreadable metadata are empty."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Metadata)
    except (OSError, msgspec.MsgspecError) as error:
        print(
            f"{path} cannot be used ({one_line(str(error))}), so it is not known if the work "
            "is late."
        )
        return Metadata()


def hand_in_of(known: Metadata) -> HandIn:
    """Return the submission for the report. For a team, the first member's extension counts."""
    users = known.users or [User()]
    due, own = known.assignment.due_date, users[0].assignment.due_date
    more = (own - due).total_seconds() / 86400 if own is not None and due is not None else 0.0
    return HandIn(
        platform=PLATFORM,
        platform_id=str(users[0].id),
        name=few([one_line(user.name, 60) for user in users], MAX_NAMES),
        email=one_line(users[0].email, 120),
        entries=(f"submission_{known.id}",),
        at=known.created_at.isoformat() if known.created_at else "",
        at_from="Gradescope" if known.created_at else "",
        extra_days=max(0.0, more),
    )


def with_due(course: Course, known: Metadata) -> Course:
    """Return the course, in which assignments without a deadline have Gradescope's deadline."""
    due = known.assignment.due_date
    if due is None:
        return course
    assignments = tuple(
        assignment if assignment.due else msgspec.structs.replace(assignment, due=due)
        for assignment in course.content.assignments
    )
    return Course(course.root, msgspec.structs.replace(course.content, assignments=assignments))
