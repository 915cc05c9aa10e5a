"""nbgrader's steps with ours among them: for `nbgrader_config.py`, and for our own grading."""

from nbgrader import preprocessors as theirs

from autograder.nbgrader import preprocessors as ours
from autograder.nbgrader.known_marks import CheckMarks

# Solutions are taken out as in exercises/: where there is no function, nothing is left in place.
GENERATE = [
    theirs.IncludeHeaderFooter,
    theirs.LockCells,
    ours.StubSolutions,
    theirs.ClearOutput,
    theirs.CheckCellMetadata,
    theirs.ComputeChecksums,
    theirs.SaveCells,
    theirs.ClearHiddenTests,
    theirs.ClearMarkScheme,
    theirs.ComputeChecksums,
    theirs.CheckCellMetadata,
]

# Cells get back what students deleted or changed around their answers.
SANITIZE = [
    ours.RestoreCells,
    theirs.ClearOutput,
    theirs.DeduplicateIds,
    theirs.OverwriteKernelspec,
    theirs.OverwriteCells,
    CheckMarks,
]

# In place of nbgrader's executor: submissions run confined, and no kernel does.
GRADE = [
    ours.ConfinedExecute,
    theirs.IgnorePattern,
    theirs.LimitOutput,
    theirs.SaveAutoGrades,
    theirs.AssignLatePenalties,
    CheckMarks,
    ours.SaveHints,
    ours.EscapeTexts,
]
