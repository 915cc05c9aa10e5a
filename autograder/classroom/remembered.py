"""`.runs.json`: by which commands a folder of results was made, so that they can be repeated."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.files import write_whole

FILE = ".runs.json"
MOST = 20
MOST_BYTES = 200_000


class GradeCommand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `grade` was asked for; all paths are whole."""

    submissions: str
    course: str
    exercises: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    platform: str = ""
    roster: str = ""
    seed: int | None = None
    confinement: str = ""
    own_code: bool = False
    anonymous: bool = False

    @property
    def of_all(self) -> bool:
        """Whether it was for every exercise and student."""
        return not self.exercises and not self.students

    def arguments(self, results: Path) -> list[str]:
        """The words of the command line, after `autograder`."""
        named = [f"--exercise={name}" for name in self.exercises]
        named += [f"--student={name}" for name in self.students]
        given = {"from": self.platform, "roster": self.roster, "confinement": self.confinement}
        given |= {"course": self.course, "seed": "" if self.seed is None else str(self.seed)}
        named += [f"--{name}={value}" for name, value in given.items() if value]
        flags = [*["--own-code"][: self.own_code], *["--anonymous"][: self.anonymous]]
        return ["grade", f"--out={results}", *named, *flags, "--", self.submissions]


def remember(results: Path, command: GradeCommand) -> None:
    """Keep a command; what was asked for all takes the place of all that was before."""
    before = [] if command.of_all else [each for each in remembered(results) if each != command]
    write_whole(results / FILE, msgspec.json.encode([command, *before][:MOST]) + b"\n")


def remembered(results: Path) -> Sequence[GradeCommand]:
    """The commands, the latest first; none where the file is not there or is not of this form."""
    try:
        with (results / FILE).open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=list[GradeCommand])
    except (OSError, msgspec.MsgspecError):
        return []
