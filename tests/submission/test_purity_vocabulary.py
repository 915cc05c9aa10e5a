"""No word that is believed reads memory that nobody wrote, however it is called."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.submission.purity_syntax import METHOD_WITH_A_KIND, PLACE_OF_A_KIND


def answers(fill: int) -> list[str]:
    script = Path(__file__).parent / "perturbed.py"
    run = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"MALLOC_PERTURB_": str(fill)},
        capture_output=True,
        check=True,
        text=True,
    )
    return run.stdout.splitlines()


@pytest.mark.thorough
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library cannot fill memory")
def test_only_what_is_looked_at_reads_memory_that_nobody_wrote() -> None:
    one, other = answers(85), answers(170)
    assert len(one) == len(other) > 10_000
    differ = {a.split("\t")[0] for a, b in zip(one, other, strict=True) if a != b}
    assert differ == {*PLACE_OF_A_KIND, f".{METHOD_WITH_A_KIND}"}  # whose kinds the proof looks at
