"""A class graded on machines of a network of its own, to which all happens that happens."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.cluster.hosts import Hosts
from tests.cluster.test_local_cluster import CLASS, RIGHT, results

pytestmark = pytest.mark.thorough
COUNT = 36
SLOW = "import time\ntime.sleep(0.8)\n"


@pytest.fixture
def students(tmp_path):
    """Some of each kind, most of them right and a little slow."""
    texts = list(CLASS.values())
    for number in range(COUNT):
        folder = tmp_path / "class" / f"s{number:02}"
        folder.mkdir(parents=True)
        text = texts[number] if number < len(texts) else SLOW + RIGHT + f"# {number}\n"
        (folder / "causal_mask.py").write_text(text)
    return tmp_path / "class"


@pytest.fixture
def hosts(tmp_path):
    try:
        with Hosts(tmp_path, ["head", "killed", "cut", "slow", "fine", "other"]) as hosts:
            yield hosts
    except (OSError, FileNotFoundError) as error:
        pytest.skip(f"no network namespaces can be made here: {error}")


@pytest.fixture
def other_version(tmp_path, root):
    """The grader with another version's number, for a machine that imports it from there."""
    place = tmp_path / "other"
    shutil.copytree(root / "autograder", place / "autograder")
    init = place / "autograder" / "__init__.py"
    init.write_text(re.sub(r'__version__ = ".*"', '__version__ = "9.9.9"', init.read_text()))
    return {"PYTHONPATH": str(place)}


def grade(students, root, out, *options):
    return ["autograder", "grade", students, "--out", out, "--course", root,
            "--exercise", "causal_mask", "--json", *options]  # fmt: skip


@pytest.fixture
def cluster(hosts, other_version, tmp_path):
    """A scheduler and five machines: each but one goes wrong in a way of its own."""
    address = f"tls://{hosts.address('head')}:8786"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    hosts.run("head", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard",
              *hosts.tls, **quiet)  # fmt: skip
    started = {}
    for name in hosts.names[1:]:
        env = other_version if name == "other" else None
        started[name] = hosts.run(
            name, "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1",
            "--name", name, "--no-dashboard", "--local-directory", tmp_path / f"on-{name}",
            *hosts.tls, env=env, **quiet,
        )  # fmt: skip
    return address, started


def test_whatever_happens_to_machines_the_results_are_those_of_one(
    hosts, cluster, students, root, tmp_path
):
    address, started = cluster
    command = grade(students, root, tmp_path / "there", "--scheduler", address, *hosts.tls)
    running = hosts.run("head", *command, stdout=subprocess.PIPE, text=True)
    said, all_there = [], False
    with running.stdout:
        for line in running.stdout:
            event = json.loads(line)
            said.append(event.get("said", ""))
            all_there |= any("is not used" in each for each in said)
            if event["event"] == "progress" and all_there and started:
                hosts.slow_down(started["slow"])
                hosts.kill(started.pop("killed"))
                hosts.cut_off("cut")
                started.clear()
    assert running.wait() == 0
    left_out = [each for each in said if "is not used" in each]
    assert len(left_out) == 1 and left_out[0].startswith("other (tls://10.77.0.6")
    assert "autograder 9.9.9 instead of " in left_out[0]
    assert any(each.startswith("killed (tls://10.77.0.2") and "lost" in each for each in said)
    here = grade(students, root, tmp_path / "here", "--workers", "2")
    assert (
        subprocess.run([sys.executable, "-m", *map(str, here)], capture_output=True).returncode == 0
    )
    assert results(tmp_path / "there") == results(tmp_path / "here")
