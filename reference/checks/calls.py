"""Helpers of checks: follow-through from a wrong step, and tests for side effects."""

from functools import partial

import numpy as np

from autograder.author import expect_all_follow, expect_independent_calls, expect_unchanged


def with_mask(function, before):
    """Return a function whose first `before` arguments are positional, and the next is `mask`."""

    def call(*args):
        named = {"mask": args[before]} if len(args) > before else {}
        return function(*args[:before], **named)

    return call


def whole(answer):
    return answer


def expect_calls_follow(functions, calls, what, own, submission, note, *, read=whole, **details):
    """Pass if all results are right, or if all follow from the student's step `own`.

    Each of the three functions gets a call's arguments. The first returns the student's result, and
    the second returns the right result. The third also gets an `OwnSteps`, and returns the result
    that follows from the student's step. `read` returns the graded part of a result. `details` are
    arguments of `expect_all_follow`.
    """
    answer, right, from_own = functions
    cases = []
    for args in calls:

        def following(steps, args=args):
            return read(from_own(steps, *args))

        cases.append((read(answer(*args)), read(right(*args)), following))
    expect_all_follow(cases, what, note, own, submission, **details)


def pairs(before, after):
    """Yield each value of `before` with the corresponding value of `after`. Look inside tuples."""
    for one, other in zip(before, after, strict=False):
        if isinstance(one, tuple):
            yield from pairs(one, other)
        else:
            yield one, other


def expect_arguments_stay(function, names, *args):
    """Pass if a call changes no array and no list. For a tuple, give one name per value."""
    _, after = function.with_arguments(*args)
    for name, (before, now) in zip(names, pairs(args, after), strict=True):
        if isinstance(before, np.ndarray | list):
            expect_unchanged(before, now, name)


def expect_no_side_effects(submission, calls, between):
    """Pass if no call changes an argument, and no result depends on earlier calls.

    `calls` maps the name of each function to a pair: the names of its arguments in one string, and
    the arguments. `between` lists further calls: a function's name and its arguments.
    """
    for function, (names, args) in calls.items():
        expect_arguments_stay(getattr(submission, function), names.split(), *args)

    def answer(function, args, own):
        return getattr(own, function)(*args)

    def call(function, args, own):
        return getattr(own, function).kept(*args)

    again = [(name, partial(answer, name, args)) for name, (_, args) in calls.items()]
    others = [partial(call, name, args) for name, *args in between]
    expect_independent_calls(submission.fresh(), again, others)
