"""A desk on a small class, and a client that has been let in."""

import html
import re

import pytest
from starlette.testclient import TestClient

from autograder.classroom.history import GradeCommand, remember_command
from autograder.desk.application import application
from autograder.desk.guard import Secrets
from tests.conftest import ROOT
from tests.desk.generated import sample, with_submissions, write

PORT = 8123
ADDRESS = f"http://127.0.0.1:{PORT}"
SECRETS = Secrets()
HERE = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}


def client_of(results, course):
    """A client of a desk that has not been let in."""
    return TestClient(application(results, course, PORT, SECRETS), base_url=ADDRESS)


def let_in(client):
    answer = client.get(f"/?token={SECRETS.new_token()}")
    assert answer.status_code == 200, answer.text
    return client


@pytest.fixture
def post():
    """Post a form as a page of the desk does: `post(client, "/path", name="value")`."""

    def send(client, path, files=None, **fields):
        data = {"csrf": SECRETS.csrf, **fields}
        return client.post(path, data=data, files=files, headers=HERE)

    return send


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """Results of 40 students that no test changes."""
    return with_submissions(tmp_path_factory.mktemp("class"), 40, ROOT)


@pytest.fixture(scope="session")
def desk(results, course):
    """A client of the desk of `results`, let in; it is not for tests that change anything."""
    return let_in(client_of(results, course))


@pytest.fixture(scope="session")
def sample_desk(tmp_path_factory, course):
    """A desk of the sample class as it was graded, beside its submissions."""
    folder = write(tmp_path_factory.mktemp("sample"), sample())
    submissions = str(ROOT / "examples" / "class")
    remember_command(folder, GradeCommand(submissions=submissions, course=str(ROOT)))
    return let_in(client_of(folder, course))


def text_of(answer):
    """What a page says, without its tags."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", answer.text, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))
