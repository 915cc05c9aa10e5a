"""`autograder watch` in a real pseudo-terminal, with the ways in which editors save."""

import json
import os
import sys
import termios
import time

import pytest

from tests.student.course import ENDLESS, NOT_AT_ALL, RIGHT, WRONG, make_course

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)

from tests.student.terminal import Terminal


@pytest.fixture
def folder(tmp_path):
    return make_course(tmp_path)


@pytest.fixture
def watch(folder):
    open_ones = []

    def watch(*args, **options):
        open_ones.append(Terminal("watch", *args, cwd=folder / "exercises", **options))
        return open_ones[-1]

    yield watch
    for terminal in open_ones:
        terminal.close()


@pytest.fixture
def file(folder):
    return folder / "exercises" / "sorting.py"


def write_in_place(path, text):
    path.write_text(text)


def write_aside_and_rename(path, text):
    """As vim, JupyterLab and others do it."""
    aside = path.with_name(f".{path.name}.swp")
    aside.write_text(text)
    os.replace(aside, path)


def move_away_and_write_anew(path, text):
    """As vim does it that keeps a copy, and emacs."""
    os.replace(path, path.with_name(f"{path.name}~"))
    path.write_text(text)


def write_bit_by_bit(path, text):
    with path.open("w") as opened:
        for part in (text[:11], text[11:20], text[20:]):
            opened.write(part)
            opened.flush()
            time.sleep(0.02)


def test_every_way_of_saving_is_seen(watch, file):
    shown = watch("sorting")
    assert "Begin with sort, in line" in shown.until("0 of 10 points")
    ways = (write_in_place, write_aside_and_rename, move_away_and_write_anew, write_bit_by_bit)
    for way in ways:
        way(file, WRONG)
        shown.until("(sorting.py): 2 of 10 points")
        way(file, RIGHT)
        assert "2 more checks pass." in shown.until("(sorting.py): 10 of 10 points")
    shown.press("q")
    assert shown.ended() == 0
    assert "Sorting (sorting.py): 10 of 10 points" in shown.screen


@pytest.mark.thorough
def test_what_is_half_there_is_waited_for_and_no_attempt(watch, file, folder):
    file.write_text(NOT_AT_ALL)
    shown = watch("sorting")
    shown.until("Hint: Look at the order.")
    file.write_text("def sort(x):\n    return (")
    shown.until("line 2")
    file.write_text("")
    shown.until("0 of 10 points")
    file.rename(file.with_name("elsewhere.py"))
    shown.until("Waiting for the file.")
    file.with_name("elsewhere.py").rename(file)
    file.write_text(NOT_AT_ALL)
    assert "Hint: Compare" not in shown.until("The order is not right.")
    file.write_text(NOT_AT_ALL)
    os.utime(file)
    shown.quiet(0.2)
    file.write_text(NOT_AT_ALL + "# a new attempt\n")
    shown.until("Hint: Compare two.")
    kept = json.loads((folder / "exercises/.autograder/sorting.json").read_text())
    assert kept["checks"]["test_sorts"]["hints"] == 2


def test_an_endless_loop_is_left_when_it_is_mended(watch, file):
    shown = watch("sorting")
    shown.until("0 of 10 points")
    start = time.monotonic()
    file.write_text(ENDLESS)
    shown.until("Checking")
    file.write_text(RIGHT)
    shown.until("10 of 10 points")
    assert time.monotonic() - start < 15  # one call of it would have had 20 s of the processor
    file.write_text(ENDLESS)
    shown.until("Checking")
    before = termios.tcgetattr(shown.line)[3]
    shown.press("\x03")
    assert shown.ended() == 130
    assert not before & termios.ECHO
    assert termios.tcgetattr(shown.line)[3] & termios.ECHO
    assert "Traceback" not in shown.said


def test_keys_and_a_word_when_things_are_done(watch, file, folder):
    file.write_text(NOT_AT_ALL)
    shown = watch()
    shown.until("Hint: Look")
    shown.press("h")
    shown.until("Hint: Compare two.")
    shown.press("hh")
    shown.until("That was the last hint.")
    shown.press("a")
    shown.press("p")
    shown.until("There is nothing to draw")
    shown.resize(60, 14)
    shown.press("a")
    shown.quiet()
    assert all(len(line) <= 60 for line in shown.screen.split("\n"))
    shown.resize(80, 40)
    file.write_text(RIGHT)
    shown.until("1 of 2 exercises done")
    shown.press("n")
    assert "Begin with largest, in line" in shown.until("The largest (largest.py): 0 of 4 points")
    (folder / "exercises" / "largest.py").write_text("def largest(x):\n    return max(x)\n")
    assert "2 of 2 exercises done, 14 of 14 points so far" in shown.until("4 of 4")
    shown.press("n")
    shown.until("There is no other unfinished exercise")
    file.write_text(WRONG)
    shown.until("checks passed before and fail now")
    shown.press("q")
    assert shown.ended() == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("args", "term"), [(["--plain"], "xterm"), ([], "dumb")])
def test_without_a_screen_reports_follow_each_other(watch, file, args, term):
    shown = watch("sorting", *args, TERM=term)
    shown.until("0 of 10 points")
    file.write_text(RIGHT)
    shown.until("10 of 10 points")
    assert "0 of 10 points" in shown.screen
    assert "\x1b" not in shown.said
    shown.press("q")
    assert shown.ended() == 0
