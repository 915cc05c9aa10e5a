"""Fork servers share imported libraries. A killed fork server is replaced."""

import os
import signal
import sys
from pathlib import Path

import pytest

from autograder.course.course_file import Limits
from autograder.sandbox.child import ChildKind, InternalError
from autograder.sandbox.fork_server import ForkServers, LibraryProcess
from autograder.sandbox.levels import why_not
from tests.sandbox.processes import has_ended, library_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers need Linux")

FIRST = ChildKind("numpy", Limits())
OWN = FIRST._replace(place="own")


@pytest.fixture(params=["none", "full"])
def servers(request):
    if request.param == "full" and why_not("full"):
        pytest.skip(why_not("full"))
    servers = ForkServers("reference", request.param)
    yield servers
    servers.close()


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def ancestors(process: int, last: int) -> list[int]:
    found = [parent_of(process)]
    while found[-1] not in {last, 1}:
        found.append(parent_of(found[-1]))
    return found


def test_each_place_has_a_process_and_all_share_one_import(servers):
    first, own = servers.take(FIRST), servers.take(OWN)
    (libraries,) = library_processes(servers)
    lines = [ancestors(child._id, libraries) for child in (first, own)]
    assert [line[-1] for line in lines] == [libraries, libraries]
    assert set(lines[0]) & set(lines[1]) == {libraries}
    for child in (first, own):
        child.end()


def test_a_killed_fork_server_is_replaced(servers):
    child = servers.take(FIRST)
    (libraries,) = library_processes(servers)
    server = ancestors(child._id, libraries)[0]
    child.end()
    os.kill(server, signal.SIGKILL)
    assert has_ended(server)
    servers.take(FIRST).end()
    assert library_processes(servers) == [libraries]


def test_all_processes_end_with_the_library_process_which_is_replaced(servers):
    child = servers.take(FIRST)
    (libraries,) = library_processes(servers)
    os.kill(libraries, signal.SIGKILL)
    assert has_ended(child._id)
    child.end()
    servers.take(FIRST).end()
    assert libraries not in library_processes(servers)


def test_closing_ends_a_running_child(servers):
    child = servers.take(FIRST)
    (libraries,) = library_processes(servers)
    processes = [child._id, *ancestors(child._id, libraries)]
    servers.close()
    assert all(map(has_ended, processes))
    child.end()


def test_an_import_that_fails_is_the_reason():
    servers = ForkServers("reference", "none")
    with pytest.raises(InternalError, match="No module named 'no_such_library'") as error:
        servers.take(FIRST._replace(also=("no_such_library",)))
    assert not error.value.killed
    servers.close()


def test_an_old_message_is_not_the_reason_of_a_later_end():
    libraries = LibraryProcess(["no_such_library"], (), (), ())
    libraries.process.wait()
    assert "no_such_library" in libraries.last_words()
    assert libraries.last_words() == ""
    libraries.close()
