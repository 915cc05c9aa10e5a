"""Exceptions in a course's recipes: which of them no input causes."""

from autograder.diagnosis.recipe import State


def no_input_causes(error: BaseException) -> bool:
    """Whether an exception is the author's slip, whatever the function was called with.

    Doing a thing wrong may well be an error for some inputs; a name that there is not is none
    of those.
    """
    if isinstance(error, AttributeError):
        return isinstance(error.obj, State)
    return isinstance(error, NameError | ImportError | SyntaxError)
