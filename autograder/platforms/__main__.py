"""Program for a platform's machine: `python -m autograder.platforms PLATFORM ARGUMENTS`."""

import importlib
import sys
from pathlib import Path

from autograder.course.errors import UserError

PLATFORMS = ("gradescope", "prairielearn", "classroom50")


def main(arguments: list[str]) -> int:
    """Grade a submission. Return the exit code: 0 if there are results, even with 0 points."""
    platform, *rest = arguments
    if platform not in PLATFORMS:
        print(f"Expected one of {', '.join(PLATFORMS)}, found {platform!r}.", file=sys.stderr)
        return 2
    try:
        importlib.import_module(f"autograder.platforms.{platform}").run(*map(Path, rest))
    except (UserError, OSError) as error:
        print(f"This submission was not graded: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
