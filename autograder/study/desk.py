"""One exercise at a time, as `watch` has it: its file, its last report, and what is said of it."""

from pathlib import Path

from autograder.course import Course
from autograder.report.attempts import attempts_file, read_attempts
from autograder.report.hints import first_failing
from autograder.report.model import ExerciseReport
from autograder.report.told import opening
from autograder.report.wrap import StyledLine
from autograder.study.celebration import celebrated
from autograder.study.changes import passing, what_changed
from autograder.study.further_hint import no_further_hint
from autograder.study.standing import Standing, in_groups, next_of, standing_of, standings
from autograder.study.step import shown_step
from autograder.submission.stubs import read_stubs


class Desk:
    """What a student works on now. `news` is what to say of the last thing that happened."""

    def __init__(self, course: Course, name: str, path: Path, spoken: bool) -> None:
        self.course = course
        self.spoken = spoken
        self.news: list[StyledLine] = []
        self._stubs = read_stubs(course)
        self.found = standings(course)
        self.take(name, path)

    def take(self, name: str, path: Path) -> None:
        """Go to an exercise; its report is not known yet."""
        self.name, self.path = name, path
        self.full: ExerciseReport | None = None
        self.shown: ExerciseReport | None = None
        self.all_values = False
        self.news = []

    @property
    def ordered(self) -> list[Standing]:
        return list(self.found.values())

    def next(self) -> Standing | None:
        """What comes after this exercise and is not done."""
        following = next_of(self.course, self.found, after=self.name)
        return following if following is None or following.exercise.name != self.name else None

    def saw(self, full: ExerciseReport) -> None:
        """A new report: keep it, and say what has changed."""
        before = self.found[self.name]
        passed: frozenset[str] | None = None
        if self.shown is not None:
            passed = passing(self.shown)
        elif before.progress is not None:
            passed = frozenset(before.progress.passed)
        found = opening(self.shown) if self.shown is not None else None
        self.full, self.shown = full, shown_step(self.course, full, self.path, more=False)
        self.news = []
        if passed is not None and (said := what_changed(passed, found, self.shown)):
            self.news.append([(said, "bold")])
        self._stand_anew(before)

    def _stand_anew(self, before: Standing) -> None:
        """See where the exercise stands now, and whether that is something to be glad of."""
        exercise = self.course.exercise(self.name)
        now = standing_of(self.course, exercise, self._stubs, self.path)
        self.found[self.name] = now
        if now.state == "done" and before.state != "done":
            groups = in_groups(self.course, self.found)
            self.news += celebrated(now, groups, self.found, self.spoken)

    def hint(self) -> None:
        """Show one hint more, where the course allows."""
        if self.full is None or self.shown is None:
            return
        policy, seen = self.course.content.hints, read_attempts(attempts_file(self.path, self.name))
        said = no_further_hint(seen, self.full, policy, "all values (a)", self.path.name)
        self.news = [[(said or "One hint more.", "")]]
        if first_failing(self.full) is None:
            self.news = [[("Nothing fails, so there is no hint.", "")]]
        self.shown = shown_step(self.course, self.full, self.path, more=True)

    def picture(self) -> None:
        """Save a picture of the first failure that has values."""
        from autograder.errors import UserError
        from autograder.report.picture import save_picture

        if self.shown is None:
            return
        try:
            said = save_picture(self.shown, Path(f"{self.name}-check.png"))
        except UserError as error:
            said = str(error)
        self.news = [[(said, "")]]
