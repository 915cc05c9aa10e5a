"""The platforms whose downloads are read; an entry point registers them."""

from autograder.platforms.blackboard import BLACKBOARD
from autograder.platforms.brightspace import BRIGHTSPACE
from autograder.platforms.canvas import CANVAS
from autograder.platforms.gradescope import GRADESCOPE
from autograder.platforms.moodle import MOODLE
from autograder.platforms.nbgrader import NBGRADER
from autograder.platforms.repositories import REPOSITORIES

# If two understand as many entries of a download, the first one reads it.
READERS = (GRADESCOPE, MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE, NBGRADER, REPOSITORIES)
