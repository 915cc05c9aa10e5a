"""The platforms that are known: those of the kit, and a site's own by entry point."""

from importlib.metadata import entry_points

from autograder.errors import UserError
from autograder.platforms.blackboard import BLACKBOARD
from autograder.platforms.brightspace import BRIGHTSPACE
from autograder.platforms.canvas import CANVAS
from autograder.platforms.gradescope import GRADESCOPE
from autograder.platforms.model import Importer
from autograder.platforms.moodle import MOODLE
from autograder.platforms.nbgrader import NBGRADER
from autograder.platforms.plain import PLAIN
from autograder.platforms.repositories import REPOSITORIES
from autograder.text import nearest

GROUP = "autograder.platforms"
OWN = (GRADESCOPE, MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE, NBGRADER, REPOSITORIES, PLAIN)

# As people list them; a site's own come after them.
LISTED = (CANVAS, MOODLE, GRADESCOPE, BLACKBOARD, BRIGHTSPACE, REPOSITORIES, NBGRADER)


def with_ids() -> tuple[str, ...]:
    """The names of the platforms that call students something of their own, as people list them.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    listed = [importer.name for importer in LISTED]
    return tuple(dict.fromkeys([*listed, *(name for name in importers() if name != PLAIN.name)]))


def importers() -> dict[str, Importer]:
    """All by name; of two with one name, the site's.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    found = {importer.name: importer for importer in OWN}
    for point in entry_points(group=GROUP):
        try:
            importer = point.load()
        except Exception as error:  # whatever a site's module raises
            raise UserError(
                f"The importer {point.name!r} ({point.value}) cannot be loaded: "
                f"{type(error).__name__}: {error}. Mend it, or uninstall its package."
            ) from None
        if not isinstance(importer, Importer):
            raise UserError(
                f"The importer {point.name!r} ({point.value}) is no autograder.platforms.model."
                f"Importer. Name one in the entry point."
            )
        found[point.name] = importer
    return found


def named(name: str) -> Importer:
    """The importer of that name.

    Raises:
        UserError: there is none; it lists those that there are.
    """
    known = importers()
    if name not in known:
        near = nearest(name, known)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"No platform is called {name!r}.{meant} Known: {', '.join(known)}.")
    return known[name]
