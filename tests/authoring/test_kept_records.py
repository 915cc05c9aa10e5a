"""What was recorded is kept, by all that it rests on; the bytes of a release are the same."""

import os
import shutil

import pytest
from msgspec.structs import replace

from autograder.authoring import recording
from autograder.authoring.kit_files import ReleaseOptions
from autograder.authoring.recording import RecordingOptions, record_key
from autograder.authoring.release import bundle
from autograder.course.cache import Cache, cache_key
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from tests.authoring.conftest import NAMES


def made(course, how, said=None):
    exercises = tuple(course.exercise(name) for name in NAMES)
    wanted = ReleaseOptions(exercises, "practice", "py", seeds=1)
    return bundle(course, wanted, replace(how, say=(said if said is not None else []).append))


@pytest.mark.thorough
def test_the_bytes_are_the_same_recorded_elsewhere_and_kept(marked, released, tmp_path):
    """In two processes, then kept, and in this process; the second time nothing is recorded."""
    kept, first, second = Cache(tmp_path / "kept", 9), [], []
    assert made(marked, RecordingOptions(2, kept=kept), first) == released
    assert made(marked, RecordingOptions(2, kept=kept), second) == released
    assert len(first) == len(second) == 4
    assert not any("cache" in each for each in first) and all("cache" in each for each in second)


@pytest.mark.thorough
def test_a_release_that_is_stopped_goes_on_there(marked, released, tmp_path, monkeypatch):
    kept, real, done = Cache(tmp_path / "kept", 9), recording.record_part, []

    def stopped(task):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(task.about)
        return real(task)

    monkeypatch.setattr(recording, "record_part", stopped)
    with pytest.raises(UserError, match="2 of 4 parts are kept: run the same command again"):
        made(marked, RecordingOptions(kept=kept))
    monkeypatch.setattr(recording, "record_part", real)
    said = []
    assert made(marked, RecordingOptions(kept=kept), said) == released
    assert [each.partition(",")[0] for each in said if "cache" in each] == done
    assert len(said) == 4


@pytest.mark.thorough
def test_what_is_kept_is_recorded_anew_if_asked_for(marked, tmp_path):
    kept, anew = Cache(tmp_path / "kept", 9), []
    made(marked, RecordingOptions(kept=kept))
    made(marked, RecordingOptions(anew=True, kept=kept), anew)
    assert len(anew) == 4 and not any("cache" in each for each in anew)


@pytest.fixture
def course(text_course, tmp_path):
    folder = tmp_path / "text"
    shutil.copytree(text_course, folder)
    return load_course(folder / "course.yml")


def digests(course):
    course = load_course(course.root / "course.yml")
    return {name: record_key(course, course.exercise(name)) for name in NAMES}


def changed(course, path, text="\n# changed\n"):
    """The exercises that are recorded anew after a change of a file."""
    before, file = digests(course), course.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text((file.read_text() if file.exists() else "") + text)
    after = digests(course)
    return {name for name in NAMES if before[name] != after[name]}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("solutions/word_counts.py", set(NAMES)),
        ("reference/misconceptions/word_counts.py", set(NAMES)),
        ("reference/misconceptions/named/word_counts/new.py", set(NAMES)),
        ("examples/right/word_counts/another.py", {"word_counts"}),
        ("examples/wrong/word_counts/another.py", {"word_counts"}),
        ("reference/__init__.py", set(NAMES)),
        ("reference/table.json", set(NAMES)),
        ("reference/checks/shared.py", set(NAMES)),
        ("exercises/word_counts.py", set()),
        ("docs.md", set()),
    ],
)
def test_what_counts(course, path, expected):
    assert changed(course, path) == expected


def test_course_settings_engine_and_libraries_count(course, monkeypatch):
    before = digests(course)
    file = course.root / "course.yml"
    text = file.read_text()
    file.write_text(text.replace("hints: practice", "hints: exam"))
    assert all(digests(course)[name] != before[name] for name in NAMES)
    file.write_text(text)
    assert digests(course) == before
    monkeypatch.setattr(recording, "engine_key", lambda: "another")
    assert all(digests(course)[name] != before[name] for name in NAMES)
    monkeypatch.undo()
    monkeypatch.setattr(recording, "machine", lambda: ("another NumPy",))
    assert all(digests(course)[name] != before[name] for name in NAMES)
    assert len({cache_key("b", part, seeds) for part in "ab" for seeds in ((1,), (1, 2))}) == 4


def test_damaged_and_foreign_records_are_none(tmp_path):
    kept = Cache(tmp_path / "kept", 9)
    assert kept.get("key") is None
    assert kept.put("key", b"data") and kept.get("key") == b"data"
    (tmp_path / "kept/other").write_bytes((tmp_path / "kept/key").read_bytes())
    assert kept.get("other") is None  # whose name it bears
    data = (tmp_path / "kept/key").read_bytes()
    (tmp_path / "kept/key").write_bytes(data[:-1])
    assert kept.get("key") is None
    (tmp_path / "file").write_text("")
    assert not Cache(tmp_path / "file", 9).put("key", b"data")


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_records_are_their_owners_alone(tmp_path):
    kept = Cache(tmp_path / "kept", 9)
    kept.put("key", b"data")
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
    (tmp_path / "kept").chmod(0o777)
    assert kept.get("key") is None and not kept.put("key", b"data")
