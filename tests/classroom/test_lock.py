"""One run at a time has a folder of results, and a dead one has none."""

import signal
import subprocess
import sys
import threading

import pytest

from autograder.classroom.history import LOCK, in_use
from autograder.course.errors import UserError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the journal alone locks there")


def test_the_second_is_told_who_has_it(tmp_path):
    with in_use(tmp_path, "grading class"):
        said = r"in use by another run \(.*process \d+ on .*, since .*: grading class\)"
        with pytest.raises(UserError, match=said), in_use(tmp_path, "grading other"):
            pass
        with pytest.raises(UserError, match="grading class"), in_use(tmp_path, "a third"):
            pass
    with in_use(tmp_path, "grading other"):
        pass
    assert (tmp_path / LOCK).read_bytes() == b""


def test_the_second_can_wait(tmp_path):
    told, done = [], threading.Event()

    def second():
        with in_use(tmp_path, "second", wait=30, waiting=told.append):
            done.set()

    with in_use(tmp_path, "first"):
        thread = threading.Thread(target=second)
        thread.start()
        assert not done.wait(0.3)
    assert done.wait(10)
    thread.join()
    assert len(told) == 1 and "first" in told[0] and told[0].startswith("Waiting: ")


def test_what_another_one_wrote_is_not_believed(tmp_path):
    with in_use(tmp_path, "x\x1b[31m" + "y" * 9000):
        with pytest.raises(UserError) as caught, in_use(tmp_path, "second"):
            pass
        assert "\x1b" not in str(caught.value) and len(str(caught.value)) < 600
        (tmp_path / LOCK).write_bytes(b"\xff\n\x1b")
        with (
            pytest.raises(UserError, match=r"another run \([^\n\x1b]+\)"),
            in_use(tmp_path, "second"),
        ):
            pass
        (tmp_path / LOCK).write_bytes(b"")
        with pytest.raises(UserError, match="it has just started"), in_use(tmp_path, "second"):
            pass


def test_a_linked_lock_is_not_followed(tmp_path):
    (tmp_path / LOCK).symlink_to(tmp_path / "theirs")
    with pytest.raises(UserError, match="cannot be opened"), in_use(tmp_path, "first"):
        pass
    assert not (tmp_path / "theirs").exists()


def test_a_killed_run_has_nothing(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from autograder.classroom.history import in_use\n"
        "with in_use(Path(sys.argv[1]), 'grading'): print('mine', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "mine\n"
        with pytest.raises(UserError, match=f"process {run.pid} "), in_use(tmp_path, "second"):
            pass
        run.send_signal(signal.SIGKILL)
        run.wait()
    with in_use(tmp_path, "second"):
        pass
