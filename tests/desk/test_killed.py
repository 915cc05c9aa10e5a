"""A desk that is killed in the middle of marking: every mark that was acknowledged is there."""

import re
import signal
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import httpx2

from autograder.classroom.marks import answer_id
from tests.classroom.words import Words
from tests.desk.test_words import form_of

GRADERS, ANSWERS, KILLED_AFTER = 2, 60, 12


def started(words):
    """A server of the desk, and its address with the token."""
    command = [sys.executable, "-m", "autograder", "desk", str(words.out), "--no-browser"]
    server = subprocess.Popen(
        [*command, "--course", str(words.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for line in server.stdout:
        if "http://" in line:
            return server, re.search(r"http://\S+", line)[0]
    raise AssertionError("the desk did not start")


def mark(here, cookies, texts, by, acknowledged):
    """Mark one answer after the other, until nobody answers."""
    headers = {"origin": here}
    with httpx2.Client(
        base_url=here, follow_redirects=True, headers=headers, cookies=cookies
    ) as browser:
        browser.cookies.set("autograder-desk-by", by, domain="127.0.0.1", path="/")
        for student, said in texts:
            try:
                page = browser.get(f"/words/essay/why?at={answer_id(said)}")
                fields = form_of(page) | {"points": "3", "comment": f"by {by}"}
                done = browser.post("/words/essay/why/keep", data=fields, follow_redirects=False)
            except httpx2.HTTPError:
                return
            if done.status_code == 303:
                acknowledged.append((student, by))


def test_no_acknowledged_mark_is_lost(tmp_path):
    words = Words(tmp_path)
    texts = [(f"u{n}", f"Answer {n}: {'because ' * n}") for n in range(ANSWERS)]
    for student, said in texts:
        words.answer(student, said)
    words.grade()
    server, address = started(words)
    here, cookies = f"http://{urlsplit(address).netloc}", httpx2.get(address).cookies
    acknowledged: list[tuple[str, str]] = []
    graders = [
        threading.Thread(
            target=mark, args=(here, cookies, texts[n::GRADERS], f"g{n}", acknowledged)
        )
        for n in range(GRADERS)
    ]
    try:
        for grader in graders:
            grader.start()
        while len(acknowledged) < KILLED_AFTER and any(each.is_alive() for each in graders):
            graders[0].join(0.01)
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
    for grader in graders:
        grader.join()
    assert KILLED_AFTER <= len(acknowledged) < ANSWERS
    points, notes = words.grade()
    rows = words.rows()
    assert {by for _, by in acknowledged} == {"g0", "g1"}
    for student, by in acknowledged:
        assert points[student, "why"] == 3
        assert rows[student, "why"]["comment"] == f"by {by}"
    assert not any("damaged" in note for note in notes)
