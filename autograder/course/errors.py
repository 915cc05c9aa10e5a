"""The errors that a person is meant to read."""


class UserError(Exception):
    """Something a person can put right: the message says what, where, and what to do.

    The command line prints it without a traceback and exits with 2.
    """


class NoCourse(UserError):
    """There is no course where one was looked for."""
