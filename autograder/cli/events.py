"""`--json`: what a command has to say, as one JSON object a line on stdout, for scripts."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from autograder.classroom.grade_class import Job
    from autograder.classroom.grade_difference import Change
    from autograder.classroom.graded_class import GradedClass


def say(event: str, **values: Any) -> None:
    """An object with the name of what happened, at once."""
    sys.stdout.write(msgspec.json.encode({"event": event, **values}).decode() + "\n")
    sys.stdout.flush()


def start(job: "Job") -> None:
    say(
        "start",
        course=job.course.title,
        submissions=str(job.submissions),
        out=str(job.out),
        exercises=[exercise.name for exercise in job.exercises],
        workers=job.workers,
        seed=job.seed,
        confinement=job.level,
    )


def progress(done: int, of: int) -> None:
    say("progress", done=done, of=of)


def changes(found: "Iterable[Change]") -> None:
    for change in found:
        say("change", **msgspec.to_builtins(change))


def end(overview: "GradedClass", out: Path, code: int) -> None:
    """What came of a run: changes, students, notes, and a last object with the counts."""
    difference = overview.difference
    changes(difference.changes if difference is not None else ())
    for row in overview.rows:
        say(
            "student",
            student=row.student,
            status=row.status,
            points=row.total,
            max_points=row.maximum,
        )
    for note in overview.notes:
        say("note", said=note)
    say(
        "end",
        exit_code=code,
        in_force=overview.in_force,
        version=overview.version or None,
        students=len(overview.rows),
        statuses=dict(Counter(row.status for row in overview.rows).most_common()),
        changed=len(difference.changes) if difference is not None else 0,
        difference=difference.digest if difference is not None else "",
        out=str(out),
    )
