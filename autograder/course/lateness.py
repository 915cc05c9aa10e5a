"""Late penalties: the policy in `course.yml`, and the computation of penalties."""

import contextlib
import math
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec

from autograder.course.text import number, several

AtLeast0 = Annotated[float, msgspec.Meta(ge=0)]


class LatePolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The block `late` of `course.yml`.

    Work within the grace period is not late. Later work is late by the days since the deadline,
    rounded up. Each day costs `percent_a_day` of the earned points. After `until_days`, all points
    are lost. The first `free_days` late days of a student in a course cost nothing.
    """

    grace_minutes: AtLeast0 = 0
    percent_a_day: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0
    until_days: AtLeast0 | None = None
    free_days: Annotated[int, msgspec.Meta(ge=0)] = 0


class LatePenalty(msgspec.Struct, frozen=True):
    """Days after the deadline, the free days among them, and the lost percentage of points.

    If the hand-in is so late that all points are lost, `until_days` is the policy's limit.
    """

    days: int
    free_days: int
    percent: float
    until_days: float | None = None

    def said(self, at: str, source: str, points: float) -> str:
        counted = several(self.days, "day")  # part of a day counts as a day
        when = f"Handed in {at} (by {source}). This is {counted} late"
        free = f" This used {several(self.free_days, 'free late day')}." if self.free_days else ""
        if not self.percent:
            return f"{when}: nothing is taken off.{free}"
        if self.until_days is not None:
            limit = f"After {several(self.until_days, 'day')}" + " that are not free" * bool(free)
            limit = (
                f"{limit}, no points are left" if self.until_days else "Late work gets no points"
            )
            return f"{when}. {limit}: {number(points)} points are taken off.{free}"
        return f"{when}: {number(self.percent)} % are taken off, {number(points)} points.{free}"


def days_late(due: datetime, at: datetime, grace_minutes: float, extra_days: float) -> int:
    """Return the days from deadline to submission, rounded up. In the grace period, return 0.

    A time without a time zone is in the deadline's zone. A deadline without a zone is in UTC.
    """
    deadline = due if due.tzinfo else due.replace(tzinfo=UTC)
    came = at if at.tzinfo else at.replace(tzinfo=deadline.tzinfo)
    late = came - deadline - timedelta(days=extra_days)
    return math.ceil(late / timedelta(days=1)) if late > timedelta(minutes=grace_minutes) else 0


def late_penalty(policy: LatePolicy, days: int, free_left: int) -> LatePenalty:
    """Return the penalty for this number of late days. At most `free_left` days are free."""
    free = min(days, max(0, free_left))
    charged = days - free
    if policy.until_days is not None and charged > policy.until_days:
        return LatePenalty(days, free, 100.0, policy.until_days)
    return LatePenalty(days, free, min(100.0, policy.percent_a_day * charged))


def with_deadlines(course: dict[object, object]) -> dict[object, object]:
    """Convert a course's times from texts such as `2027-02-05T23:59+01:00`.

    A deadline without a time zone is in UTC. Other values stay unchanged.
    """
    assignments = course.get("assignments")
    for fields in (course, *(assignments if isinstance(assignments, list) else ())):
        for name in ("due", "reveal_hidden"):
            text = fields.get(name) if isinstance(fields, dict) else None
            if isinstance(text, str) and len(text) > len("2027-02-05"):
                with contextlib.suppress(ValueError):
                    time = datetime.fromisoformat(text)
                    in_utc = name == "due" and time.tzinfo is None
                    fields[name] = time.replace(tzinfo=UTC) if in_utc else time
    return course
