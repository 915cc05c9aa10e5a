"""Who is spoken to, and how: nobody over a network without TLS, and no machine that differs."""

import os
import shutil
import time
from pathlib import Path

import dask
import distributed
import msgspec
import pytest

from autograder.classroom.judge_pool import Setup
from autograder.cli import app
from autograder.cluster import dask_cluster, machine
from autograder.cluster.dask_cluster import (
    DaskCluster,
    is_loopback,
    local,
    secured,
)
from autograder.cluster.environment import differences, environment_of
from autograder.cluster.machine import find_same_course
from autograder.cluster.messages import Chunk, ChunkReports, Instruction, decode, encode
from autograder.course.course_file import load_course
from autograder.course.errors import UserError


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("localhost.example.org", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("fe80::1%lo", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_what_is_this_machine(host, is_here):
    assert is_loopback(host) is is_here


def test_another_machine_is_spoken_to_with_tls_only():
    for address in ("10.0.0.1:8786", "tcp://10.0.0.1:8786", "head-node:8786"):
        with pytest.raises(UserError, match="the connection needs TLS"):
            secured(address, ())
    assert secured("127.0.0.1:8786", ())[1] == "tcp://127.0.0.1:8786"


@pytest.mark.parametrize("address", ["ucx://10.0.0.1:8786", "ws://127.0.0.1:1", "x://h", "://h"])
def test_another_protocol_is_refused_at_once(monkeypatch, address):
    def connect(*_):
        raise AssertionError("Dask is asked")

    monkeypatch.setattr(dask_cluster, "get_address_host", connect)
    with pytest.raises(UserError, match="cannot be used. An address begins with tls://"):
        secured(address, ())


def test_tls_needs_certificates_of_the_command_or_of_dasks_configuration():
    with pytest.raises(UserError, match="tls://10.0.0.1:8786 needs certificates"):
        secured("tls://10.0.0.1:8786", ())
    names = "distributed.comm.tls.ca-file", "distributed.comm.tls.client.cert"
    with dask.config.set(dict.fromkeys(names, "a.pem")):
        assert secured("tls://10.0.0.1:8786", ())[1] == "tls://10.0.0.1:8786"


def test_certificates_make_an_address_one_with_tls(tmp_path):
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    with pytest.raises(UserError, match=r"ca\.pem does not exist"):
        secured("10.0.0.1:8786", files)
    for path in files:
        path.write_text("")
    security, address = secured("10.0.0.1:8786", files)
    assert address == "tls://10.0.0.1:8786" and security.require_encryption


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scheduler", "10.0.0.1:8786"], "the connection needs TLS"),
        (["--scheduler", "127.0.0.1:1", "--local-cluster", "2"], "cannot be used together"),
        (["--scheduler", "127.0.0.1:1", "--tls-cert", "x"], "together, with --scheduler"),
        (["--tls-cert", "x"], "need --scheduler"),
        (["--local-cluster", "2", "--tls-cert", "x"], "together, with --scheduler"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, root, options, said):
    (tmp_path / "class").mkdir()
    command = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
    command += ["--course", str(root), "--exercise", "causal_mask", "--own-code", *options]
    with pytest.raises(UserError, match=said):
        app(command, standalone_mode=False)


def test_a_scheduler_that_is_gone_is_said():
    class Gone:
        def nthreads(self):
            raise OSError("closed")

    with pytest.raises(UserError, match=r"tls://h:1 no longer answers \(closed\).*to continue"):
        DaskCluster(Gone(), "tls://h:1").machines()


def test_a_machine_that_talks_without_tls_is_not_asked():
    assert "without TLS" in dask_cluster._machine("tcp://10.0.0.7:40001", {}).refused
    assert not dask_cluster._machine("tls://10.0.0.7:40001", {}).refused


def same_course(instruction):
    find_same_course.cache_clear()
    return find_same_course(encode(instruction))


@pytest.fixture
def told(course):
    here = environment_of(course, 0, "none")
    place = course.root / "course.yml"
    return Instruction("run", Setup(place, ("causal_mask",), 0, "none", (), Path("/")), here)


def at(told, folder):
    setup = msgspec.structs.replace(told.setup, course_file=folder / "course.yml")
    return msgspec.structs.replace(told, setup=setup)


def test_each_difference_is_named(told):
    here = told.environment
    other = here | {"Python": "3.9.1", "NumPy": "1.26", "torch": "none", "scipy": "1.0"}
    assert [each.partition(" instead of ")[0] for each in differences(other, here)] == [
        "Python 3.9.1",
        "NumPy 1.26",
        "torch none",
        "scipy 1.0",
    ]
    assert differences(here, here) == []


def test_a_course_with_other_checks_or_solutions_is_another(course, tmp_path, told):
    text = (course.root / "course.yml").read_text()
    for part in ("reference", "solutions"):
        (tmp_path / part).symlink_to(course.root / part)
    (tmp_path / "course.yml").write_text(text)
    there = at(told, tmp_path)
    assert same_course(there)[1] == ""
    (tmp_path / "course.yml").write_text(text + "\n# another\n")
    assert same_course(there)[1].startswith("the course's files ")


def test_the_course_may_lie_elsewhere_on_a_machine(course, tmp_path, told, monkeypatch):
    there = at(told, tmp_path)
    assert "no course in" in same_course(there)[1]
    monkeypatch.setenv("AUTOGRADER_COURSE", str(course.root))
    assert same_course(there)[1] == ""


def test_a_machine_of_another_version_refuses_before_any_work(told):
    other = msgspec.structs.replace(told, environment=told.environment | {"autograder": "0.0.9"})
    answer = decode(machine.grade_chunk(encode(Chunk(encode(other), ()))), ChunkReports)
    assert answer.trouble.startswith("autograder ") and "instead of 0.0.9" in answer.trouble


def test_a_local_cluster_listens_to_this_machine_only(monkeypatch):
    asked = {}

    def never(**options):
        asked.update(options)
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(distributed, "LocalCluster", never)
    with pytest.raises(UserError, match="did not start: the disk is full"), dask_cluster.local(2):
        pass
    places = [value for name, value in asked.items() if name.endswith(("host", "address"))]
    assert len(places) == 3 and all("127.0.0.1" in place for place in places)


@pytest.mark.parametrize(
    "what", ["distributed.LocalCluster", "autograder.cluster.dask_cluster.PlainClient"]
)
def test_chunks_are_not_kept_in_dask_s_log_of_messages(monkeypatch, what):
    kept = []

    def never(*_, **__):
        kept.append(dask.config.get("distributed.admin.low-level-log-length"))
        raise OSError

    monkeypatch.setattr(what, never)
    way = (
        dask_cluster.local(2)
        if what == "distributed.LocalCluster"
        else dask_cluster.connected("127.0.0.1:1", ())
    )
    with (
        dask.config.set(dict.fromkeys(dask_cluster.FEW_MESSAGES, 1000)),
        pytest.raises(UserError),
        way,
    ):
        pass
    assert kept[0] <= 10


def test_what_is_kept_beside_files_meanwhile_makes_no_other_machine(course, tmp_path):
    shutil.copytree(course.root / "reference", tmp_path / "reference")
    shutil.copytree(course.root / "solutions", tmp_path / "solutions")
    shutil.copy(course.root / "course.yml", tmp_path)
    copied = load_course(tmp_path / "course.yml")
    before = environment_of(copied, 0, "none")["the course's files"]
    for name in (".autograder/progress.json", "__pycache__/a.pyc.140000"):
        file = tmp_path / "reference" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    assert environment_of(copied, 0, "none")["the course's files"] == before
    (tmp_path / "reference" / "b.json").write_text("{}")
    assert environment_of(copied, 0, "none")["the course's files"] != before


class Loaded:
    """An exception's argument that shows where it was unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.makedirs, (f"{self.folder}/{os.getpid()}", 0o777, True)


def grade(data):
    """What a machine makes of a chunk: it answers, dies, or raises what is no plain data."""
    word, _, folder = data.partition(b" ")
    if word == b"dies":
        os._exit(1)
    if word == b"raises":
        raise ValueError(Loaded(folder.decode()))
    return {b"gives": {"no": "bytes"}}.get(word, b"graded " + data)


@pytest.mark.thorough
def test_dask_retries_what_is_lost_and_loads_nothing_of_a_machine(tmp_path):
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}), local(2) as real:
        cluster = DaskCluster(real.client, "127.0.0.1", grade=grade)
        places = list(cluster.machines())
        others = [cluster.grade(b"%d" % number, places) for number in range(8)]
        raises = cluster.grade(b"raises %s" % str(tmp_path).encode(), places)
        gives = cluster.grade(b"gives", places)
        assert [each.result(60) for each in others] == [b"graded %d" % each for each in range(8)]
        assert cluster.place_of(others[0]) in places
        with pytest.raises(Exception, match="the task failed"):
            raises.result(60)
        assert gives.result(60) == {"no": "bytes"}  # for Dispatch to disbelieve
        dies = cluster.grade(b"dies", places)
        assert str(os.getpid()) not in os.listdir(tmp_path)
        deadline = time.monotonic() + 60
        while not (now := set(cluster.machines()) - set(places)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert cluster.grade(b"after", list(now)).result(60) == b"graded after"
        assert not dies.done() or dies.exception()
        dies.cancel()
