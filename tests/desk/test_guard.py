"""Nobody but the browser that had the first address gets anything of the desk."""

import os
import socket
import stat

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from autograder.desk.application import application
from autograder.desk.command import bound, write_redirect
from autograder.desk.guard import Secrets
from autograder.desk.view import DeskView
from tests.desk.conftest import ADDRESS, HERE, PORT, SECRETS, client_of, let_in

PAGES = ["/", "/static/desk.css", "/nowhere"]


@pytest.fixture
def stranger(results, course):
    return client_of(results, course)


@pytest.fixture
def changing(results, course):
    """A desk with a view that changes something, and what it changed."""
    done = []

    def show(visit):
        done.append(visit.field("what"))
        return PlainTextResponse("done")

    views = (DeskView("/", lambda visit: visit.page("trouble.html", said="none")),)
    views += (DeskView("/change", show, changes=True),)
    app = application(results, course, PORT, SECRETS, views)
    return let_in(TestClient(app, base_url=ADDRESS)), done


@pytest.mark.parametrize("page", PAGES)
def test_without_the_token_there_is_nothing(stranger, page):
    assert stranger.get(page).status_code == 403
    assert stranger.get(f"{page}?token=wrong").status_code == 403
    assert stranger.get(page, headers={"cookie": f"autograder-desk-{PORT}=x"}).status_code == 403
    assert stranger.get(f"{page}?token=").status_code == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger):
    token = SECRETS.new_token()
    answer = stranger.get(f"/?token={token}&sort=total", follow_redirects=False)
    assert 'content="0; url=/"' in answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert "Max-Age" not in cookie and "expires" not in cookie.lower()
    assert token not in answer.text + cookie
    page = stranger.get("/")
    assert page.status_code == 200
    assert token not in page.text and SECRETS.session not in page.text


def test_the_token_leads_nowhere_else(stranger):
    token = SECRETS.new_token()
    answer = stranger.get(f"//evil.example/?token={token}", follow_redirects=False)
    assert "location" not in answer.headers and "evil" not in answer.text


def test_a_token_works_once(results, course):
    token = SECRETS.new_token()
    first, second = client_of(results, course), client_of(results, course)
    assert first.head(f"/?token={token}").status_code == 403  # a look uses nothing up
    assert first.get(f"/?token={token}").status_code == 200
    late = second.get(f"/?token={token}")
    assert late.status_code == 403 and "works only once" in late.text
    assert second.get("/").status_code == 403
    assert first.get("/").status_code == 200
    assert let_in(second).get("/").status_code == 200  # another token lets another browser in


def test_a_token_in_a_file_takes_the_file_with_it(stranger, tmp_path):
    page = tmp_path / "open.html"
    token, other = SECRETS.new_token(page), SECRETS.new_token()
    write_redirect(page, f"{ADDRESS}/?token={token}")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert token in page.read_text()
    stranger.get(f"/?token={other}")
    assert page.exists()
    from_file = {"sec-fetch-site": "cross-site"}
    assert stranger.get(f"/?token={token}", headers=from_file).status_code == 200
    assert not page.exists()


def test_a_session_ends_with_its_desk(results, course, desk):
    assert desk.get("/").status_code == 200
    later = TestClient(application(results, course, PORT, Secrets()), base_url=ADDRESS)
    later.cookies = desk.cookies
    assert later.get("/").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", "", "0"])
def test_another_host_is_refused(desk, host):
    assert desk.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_origin_is_refused(desk, headers):
    assert desk.get("/", headers=headers).status_code == 403


def test_a_form_of_ours_is_carried_out(changing):
    client, done = changing
    fields = {"csrf": SECRETS.csrf, "what": "this"}
    assert client.post("/change", data=fields, headers=HERE).text == "done"
    from_form = {"origin": "null", "sec-fetch-site": "same-origin"}
    assert client.post("/change", data=fields, headers=from_form).text == "done"
    with_header = {**HERE, "x-csrf-token": SECRETS.csrf}
    assert client.post("/change", data={"what": "that"}, headers=with_header).text == "done"
    assert done == ["this", "this", "that"]


@pytest.mark.parametrize(
    ("fields", "headers"),
    [
        ({}, HERE),
        ({"csrf": "wrong"}, HERE),
        ({"csrf": SECRETS.session}, HERE),
        ({"csrf": SECRETS.csrf}, {}),
        ({"csrf": SECRETS.csrf}, {"origin": "http://evil.example"}),
        ({"csrf": SECRETS.csrf}, {"origin": "null", "sec-fetch-site": "cross-site"}),
        ({"csrf": SECRETS.csrf}, {"sec-fetch-site": "cross-site"}),
    ],
)
def test_any_other_form_is_refused(changing, fields, headers):
    client, done = changing
    answer = client.post("/change", data={**fields, "what": "this"}, headers=headers)
    assert answer.status_code == 403
    assert done == []


def test_nothing_changes_by_a_link(changing):
    client, done = changing
    assert client.get("/change?what=this").status_code == 405
    assert client.put("/change", headers=HERE).status_code == 405
    assert done == []


def test_too_much_is_refused_before_it_is_read(changing):
    client, _ = changing
    many = {**HERE, "content-length": str(2**40)}
    assert client.post("/change", headers=many, content=b"").status_code == 413


def test_every_answer_carries_the_policy(desk, stranger):
    for answer in (desk.get("/"), desk.get("/nowhere"), stranger.get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["../view.py", "..%2fview.py", "%2e%2e/view.py", "nothing.css"])
def test_only_the_desks_own_files_are_served(desk, name):
    assert desk.get(f"/static/{name}").status_code == 404


def test_it_is_bound_to_this_machine_alone():
    with bound(0) as listening:
        address, port = listening.getsockname()
        assert address == "127.0.0.1"
        listening.listen()
        socket.create_connection(("127.0.0.1", port), 2).close()
        if os.uname().sysname == "Linux":  # where all of 127.0.0.0/8 is this machine
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.2", port), 2)
