"""A desk for a small class, and a client with access to it."""

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
    """Return a client of a desk, not yet with access."""
    return TestClient(application(results, course, PORT, SECRETS), base_url=ADDRESS)


def let_in(client):
    answer = client.get(f"/?token={SECRETS.new_token()}")
    assert answer.status_code == 200, answer.text
    return client


@pytest.fixture
def post():
    """Return a function that posts a form: `post(client, "/path", name="value")`."""

    def send(client, path, files=None, **fields):
        data = {"csrf": SECRETS.csrf, **fields}
        return client.post(path, data=data, files=files, headers=HERE)

    return send


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """Return results of 40 students that no test changes."""
    return with_submissions(tmp_path_factory.mktemp("class"), 40, ROOT)


@pytest.fixture(scope="session")
def desk(results, course):
    """Return a client with access to the desk of `results`, for tests that change nothing."""
    return let_in(client_of(results, course))


@pytest.fixture(scope="session")
def sample_desk(tmp_path_factory, course):
    """Return a desk of the sample class's results, with its submissions."""
    folder = write(tmp_path_factory.mktemp("sample"), sample())
    submissions = str(ROOT / "examples" / "class")
    remember_command(folder, GradeCommand(submissions=submissions, course=str(ROOT)))
    return let_in(client_of(folder, course))


def text_of(answer):
    """Return the text of a page, without its tags."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", answer.text, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))
