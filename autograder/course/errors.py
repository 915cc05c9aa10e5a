"""Errors with a message for the user."""


class UserError(Exception):
    """Error that the user can correct. The message says what is wrong, where, and what to do.

    The command line prints the message without a traceback, and exits with 2.
    """


class NoCourse(UserError):
    """Error: there is no course in the searched places."""
