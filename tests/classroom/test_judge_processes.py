"""Judges fork from a process that imports nothing from the working folder."""

import os
import subprocess
import sys

import pytest

from autograder.classroom import judge_pool
from autograder.classroom.judge_pool import context_of_judges

PROGRAM = """
import sys
sys.path.pop(0)

from autograder.classroom.judge_pool import context_of_judges

if __name__ == "__main__":
    context = context_of_judges()
    queue = context.SimpleQueue()
    import of_judges
    process = context.Process(target=of_judges.tell, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
"""
HOSTILE = "import pathlib\npathlib.Path(__file__).with_name('taken').touch()\nraise SystemExit(9)\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere judges are no forks")
def test_a_judge_is_told_nothing_by_where_it_was_started(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    for name in ("numpy", "pytest", "multiprocessing", "signal", "autograder"):
        (work / f"{name}.py").write_text(HOSTILE)
    own = tmp_path / "own"
    own.mkdir()
    (own / "of_judges.py").write_text(
        "import os, sys\n"
        "def tell(queue):\n"
        "    loaded = 'autograder.grading.judge' in sys.modules\n"
        "    queue.put(loaded)\n"
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("sys.path.pop(0)", f"sys.path[0] = {str(own)!r}"))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(
        [sys.executable, str(program)], cwd=work, env=environment, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["True"], done.stderr
    assert not (work / "taken").exists()


def test_without_a_place_for_its_socket_judges_start_one_by_one(monkeypatch):
    def refused():
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", refused)
    assert context_of_judges().get_start_method() == "spawn"


@pytest.mark.parametrize(
    ("cores", "memory", "workers"), [(8, 64, 8), (8, 9, 3), (2, 64, 2), (8, 1, 1)]
)
def test_there_are_no_more_workers_than_cores_and_memory_allow(monkeypatch, cores, memory, workers):
    sizes = {"SC_PHYS_PAGES": memory * 2**18, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(judge_pool.os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(judge_pool.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(judge_pool, "CONTAINERS", ())
    assert judge_pool.workers_here() == workers


def test_a_container_has_the_memory_that_its_limit_says(monkeypatch, tmp_path):
    limit, none = tmp_path / "memory.max", tmp_path / "other"
    limit.write_text(f"{5 * 2**30}\n")
    none.write_text("max\n")
    monkeypatch.setattr(judge_pool.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(judge_pool, "CONTAINERS", (none, limit, tmp_path / "absent"))
    assert judge_pool.workers_here() == 2
