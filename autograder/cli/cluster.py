"""`autograder grade --scheduler` and `--local-cluster`: on which machines a class is graded."""

import functools
from collections.abc import Callable
from pathlib import Path

from autograder.classroom.pool import Graders
from autograder.errors import UserError
from autograder.extras import require


def chosen_graders(
    scheduler: str | None,
    local_cluster: int | None,
    tls: tuple[Path | None, Path | None, Path | None],
    told: Callable[[str], None],
) -> Graders | None:
    """What grades on a cluster; None where none is asked for. Nothing is connected to yet.

    Args:
        tls: the files of the authority, the certificate and its key.
        told: hears of machines that are left out or lost.

    Raises:
        UserError: the options do not go together, or Dask is not installed.
    """
    if scheduler is None and local_cluster is None:
        if any(tls):
            raise UserError("--tls-ca-file, --tls-cert and --tls-key go with --scheduler ADDRESS.")
        return None
    if scheduler is not None and local_cluster is not None:
        raise UserError(
            "--scheduler and --local-cluster exclude each other. Leave one of them out."
        )
    if any(tls) and (scheduler is None or not all(tls)):
        raise UserError("--tls-ca-file, --tls-cert and --tls-key go together, with --scheduler.")
    require("cluster", "grade --scheduler" if scheduler else "grade --local-cluster")
    from autograder.cluster import over_dask
    from autograder.cluster.graders import grading_on

    if local_cluster is not None:
        return grading_on(functools.partial(over_dask.local, local_cluster), told)
    authority, certificate, key = tls
    files = None
    if authority is not None and certificate is not None and key is not None:
        files = over_dask.Certificates(authority, certificate, key)
    assert scheduler is not None
    over_dask.refuse_plain(scheduler, files)
    return grading_on(functools.partial(over_dask.connected, scheduler, files), told)
