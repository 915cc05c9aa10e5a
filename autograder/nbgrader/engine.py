"""One database engine for all of nbgrader's openings of a gradebook."""

import contextlib
import functools
from collections.abc import Iterator


@contextlib.contextmanager
def one_engine() -> Iterator[None]:
    """While this lasts, gradebooks of one address share an engine.

    nbgrader opens the gradebook anew in every step, each time with an engine of its own, for which
    SQLAlchemy compiles every statement again: most of the time that writing takes.
    """
    from nbgrader import api

    create = api.create_engine
    api.create_engine = functools.cache(create)
    try:
        yield
    finally:
        api.create_engine = create
