"""Who is spoken to, and how: nobody over a network without TLS, and no machine that differs."""

import dask
import msgspec
import pytest

from autograder.cli import app
from autograder.cluster import dask_cluster
from autograder.cluster.dask_cluster import Certificates, OverDask, is_loopback, refuse_plain
from autograder.cluster.environment import _files, makeup
from autograder.cluster.judge_pool import JudgePool
from autograder.cluster.judge_process import _course as course_of
from autograder.cluster.messages import Instruction, JudgeStart, Readiness
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
    for address in ("10.0.0.1:8786", "tcp://10.0.0.1:8786", "ws://10.0.0.1:8786", "head-node:8786"):
        with pytest.raises(UserError, match="spoken to with TLS only"):
            refuse_plain(address, None)
    assert refuse_plain("127.0.0.1:8786", None)[1] == "tcp://127.0.0.1:8786"
    assert refuse_plain("tls://10.0.0.1:8786", None)[1] == "tls://10.0.0.1:8786"


def test_certificates_make_an_address_one_with_tls(tmp_path):
    files = Certificates(*(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")))
    with pytest.raises(UserError, match=r"ca\.pem is not there"):
        refuse_plain("10.0.0.1:8786", files)
    for path in (files.authority, files.certificate, files.key):
        path.write_text("")
    security, address = refuse_plain("10.0.0.1:8786", files)
    assert address == "tls://10.0.0.1:8786" and security.require_encryption


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scheduler", "10.0.0.1:8786"], "with TLS only"),
        (["--scheduler", "127.0.0.1:1", "--local-cluster", "2"], "exclude each other"),
        (["--scheduler", "127.0.0.1:1", "--tls-cert", "x"], "go together"),
        (["--tls-cert", "x"], "go with --scheduler"),
        (["--local-cluster", "2", "--tls-cert", "x"], "go together, with --scheduler"),
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

    with pytest.raises(UserError, match=r"tls://h:1 does not answer any more \(closed\).*to go on"):
        OverDask(Gone(), "tls://h:1").machines()


def test_a_machine_that_talks_without_tls_is_not_asked():
    events = OverDask(client=None, where="")
    events.ask(["tcp://10.0.0.7:40001"], b"")
    ((who, data),) = events.events(0)
    refused = msgspec.msgpack.decode(data, type=Readiness).refused
    assert who == "tcp://10.0.0.7:40001" and "without TLS" in refused[0]


@pytest.fixture
def told(course):
    here = makeup(course, 0, "none")
    place = str(course.root / "course.yml")
    return Instruction("run", place, ("causal_mask",), 0, "none", (), here)


def test_each_difference_is_named(told, course):
    grader = msgspec.structs.replace(told.makeup.grader, python="3.9.1", numpy="1.26", torch="")
    other = msgspec.structs.replace(
        told.makeup, grader=grader, libraries={**told.makeup.libraries, "scipy": "1.0"}
    )
    found = other.differs(told.makeup)
    assert [each.partition(" in place of ")[0] for each in found] == [
        "Python 3.9.1",
        "NumPy 1.26",
        "torch none",
        "scipy 1.0",
    ]
    assert told.makeup.differs(told.makeup) == []


def test_a_course_with_other_checks_or_solutions_is_another(course, tmp_path, told):
    text = (course.root / "course.yml").read_text()
    for part in ("reference", "solutions"):
        (tmp_path / part).symlink_to(course.root / part)
    (tmp_path / "course.yml").write_text(text)
    start = JudgeStart(told, 0, str(tmp_path), probe=False)
    there = msgspec.structs.replace(told, course_file=str(tmp_path / "course.yml"))
    assert course_of(msgspec.structs.replace(start, instruction=there))[1] == []
    (tmp_path / "course.yml").write_text(text + "\n# another\n")
    (said,) = course_of(msgspec.structs.replace(start, instruction=there))[1]
    assert said.startswith("the course's files ")


def test_the_course_may_lie_elsewhere_on_a_machine(course, tmp_path, told, monkeypatch):
    there = msgspec.structs.replace(told, course_file=str(tmp_path / "course.yml"))
    start = JudgeStart(there, 0, str(tmp_path), probe=False)
    assert "no course in" in course_of(start)[1][0]
    monkeypatch.setenv("AUTOGRADER_COURSE", str(course.root))
    assert course_of(start)[1] == []


def test_a_judge_of_another_version_refuses_before_any_work(told, tmp_path):
    grader = msgspec.structs.replace(told.makeup.grader, version="0.0.9")
    other = msgspec.structs.replace(told.makeup, grader=grader)
    house = JudgePool()
    judge = house.take(msgspec.structs.replace(told, makeup=other), str(tmp_path))
    assert judge.refused[0].startswith("autograder ") and "in place of 0.0.9" in judge.refused[0]
    house.give_back(judge)
    assert not judge.lives


def test_a_local_cluster_listens_to_this_machine_only(monkeypatch):
    asked = {}

    def never(**options):
        asked.update(options)
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(dask_cluster, "LocalCluster", never)
    with pytest.raises(UserError, match="did not start: the disk is full"), dask_cluster.local(2):
        pass
    places = [value for name, value in asked.items() if name.endswith(("host", "address"))]
    assert len(places) == 3 and all("127.0.0.1" in place for place in places)


@pytest.mark.parametrize("what", ["LocalCluster", "Client"])
def test_chunks_are_not_kept_in_dask_s_log_of_messages(monkeypatch, what):
    kept = []

    def never(*_, **__):
        kept.append(dask.config.get("distributed.admin.low-level-log-length"))
        raise OSError

    monkeypatch.setattr(dask_cluster, what, never)
    way = (
        dask_cluster.local(2)
        if what == "LocalCluster"
        else dask_cluster.connected("127.0.0.1:1", None)
    )
    with (
        dask.config.set(dict.fromkeys(dask_cluster.FEW_MESSAGES, 1000)),
        pytest.raises(UserError),
        way,
    ):
        pass
    assert kept[0] <= 10


def test_what_is_kept_beside_files_meanwhile_makes_no_other_machine(tmp_path):
    for name in ("a.py", ".autograder/progress.json", "__pycache__/a.pyc.140000", "b/c.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = {path.relative_to(tmp_path).as_posix() for path in _files([tmp_path])}
    assert found == {"a.py", "b", "b/c.json"}
