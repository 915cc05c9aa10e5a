"""A real browser, and a real JupyterLab for it, both on this machine."""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import ROOT

ARTEFACTS = ROOT / "artefacts"
AXE = ROOT / "tests" / "axe" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)  # seconds: long enough for a busy machine


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium; without one, skip the test, except in CI."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        assert "CI" not in os.environ, "CI needs Chromium: .ci/run installs it"
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*QUIET])
        yield browser
        browser.close()


def picture(page: Page, name: str) -> None:
    """Save a picture of the page for a person to look at: artefacts/NAME.png."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Return axe-core's findings on a page: each rule with the first elements that violate it."""
    page.evaluate(AXE.read_text())  # a page's policy may forbid a script element
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]][:5]) for each in found]


@contextlib.contextmanager
def jupyter_lab(folder: Path, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Run JupyterLab with nbgrader's extensions in a folder; yield its address and its token."""
    token = secrets.token_hex(16)
    runtime = Path(env["HOME"]) / "runtime"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    command += ["--allow-root", "--ServerApp.port=0", f"--IdentityProvider.token={token}"]
    log = Path(env["HOME"]) / "lab.log"
    with open(log, "w") as said:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env={**env, "JUPYTER_RUNTIME_DIR": str(runtime)},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _address(runtime / f"jpserver-{server.pid}.json", server, log), token
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _address(info: Path, server: subprocess.Popen, log: Path) -> str:
    """Return a server's address once it accepts connections; its file is written earlier."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            said = json.loads(info.read_text())
            socket.create_connection(("127.0.0.1", said["port"]), timeout=1).close()
            return said["url"]
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def open_lab(browser: Browser, address: str, token: str, path: str = "lab") -> Page:
    """Return a page of the server, signed in."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(SECONDS * 1000)
    page.goto(f"{address}{path}?token={token}")
    return page
