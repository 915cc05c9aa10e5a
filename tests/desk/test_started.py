"""The desk as a person starts it: what other users of the machine see, and what is left behind."""

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx2
import pytest

from tests.browser import chromium
from tests.conftest import ROOT

BROWSER = """\
#!/bin/sh
printf '%s\\n' "$@" > "$(dirname "$0")/arguments"
"""


@pytest.fixture
def started(results, tmp_path):
    """A desk in a process of its own, the lines it printed, and its browser's arguments."""
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o700)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", "desk", str(results), "--course", str(ROOT)],
        env={**os.environ, "BROWSER": f"{browser} %s", "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    )
    said = []
    while "http" not in "".join(said) and (line := process.stdout.readline()):
        said.append(line)
    while process.poll() is None:  # it answers as soon as its browser has been started
        try:
            httpx2.get(address_in("".join(said)).split("?")[0])
            break
        except httpx2.HTTPError:
            continue
    yield process, "".join(said), (tmp_path / "arguments").read_text()
    process.kill()
    process.communicate()


def address_in(text):
    return re.search(r"http://[^\s\"]+", text)[0]


def opens(address):
    """Tell whether a new browser gets the class by an address."""
    with httpx2.Client(headers={"sec-fetch-site": "cross-site"}) as browser:
        browser.get(address)
        home = address.split("?")[0]
        return browser.get(home, headers={"sec-fetch-site": "same-origin"}).status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_no_command_line_has_a_token(started):
    _, said, arguments = started
    assert "token" not in arguments and "http" not in arguments
    assert address_in(said).partition("token=")[2] not in arguments
    page = Path(unquote(urlsplit(arguments.strip()).path))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def test_the_file_and_the_printed_address_each_work_once(started):
    _, said, arguments = started
    page = Path(unquote(urlsplit(arguments.strip()).path))
    in_file = address_in(page.read_text())
    assert opens(in_file) and not page.exists()
    assert opens(address_in(said))
    assert not opens(in_file) and not opens(address_in(said))
    assert "works only once" in said and "start the desk again" in said


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_when_the_desk_stops(started, tmp_path, number):
    process, _, arguments = started
    page = Path(unquote(urlsplit(arguments.strip()).path))
    assert page.exists()
    process.send_signal(number)
    assert process.wait(30) == (0 if number == signal.SIGINT else 128 + number)
    assert not page.exists()
    assert list((tmp_path / "temporary").glob("autograder-desk-*")) == []


@pytest.mark.thorough
def test_a_browser_opens_the_file(started):
    _, _, arguments = started
    with chromium() as browser:
        page = browser.new_page()
        page.goto(arguments.strip())
        page.wait_for_url("http://127.0.0.1:*/")
        assert page.locator("table.grades").count() == 1
