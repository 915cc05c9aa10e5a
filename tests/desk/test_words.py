"""The view *Words*: answers that are alike get one mark, and no mark is lost or given unseen."""

import html
import re

import pytest

from autograder.classroom.marks import answer_id
from tests.classroom.words import Words
from tests.desk.conftest import HERE, SECRETS, client_of, let_in, text_of

QUESTION = "/words/essay/why"
LONG = "A score is a sum of many products, so its variance grows with the number of them."
BIDI, EVIL = "\u202e", "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture
def words(tmp_path):
    made = Words(tmp_path)
    made.answer("ann", LONG)
    made.answer("bob", LONG.lower())
    made.answer("cem", LONG.replace("grows", "never grows"))
    made.answer("dia", "Because.")
    made.grade()
    return made


@pytest.fixture
def client(words):
    return let_in(client_of(words.out, words.course))


def at(text):
    return f"{QUESTION}?at={answer_id(text)}"


def form_of(page):
    """What a page's form holds, as a browser would send it."""
    fields = {}
    main = page.text[page.text.index('class="marking"') :]
    for tag in re.findall(r"<input [^>]*>", main):
        name, value = (re.search(rf'{key}="([^"]*)"', tag) for key in ("name", "value"))
        if 'type="checkbox"' in tag and " checked" not in tag:
            continue
        fields.setdefault(name[1], []).append(html.unescape(value[1]))
    comment = re.search(r"<textarea[^>]*>(.*?)</textarea>", main, re.S)
    return fields | {"comment": [html.unescape(comment[1])]}


def items(page):
    return re.findall(r'name="item" value="(\w+)"', page.text)


def keep(client, page, **fields):
    return client.post(f"{QUESTION}/keep", data=form_of(page) | fields, headers=HERE)


def test_one_mark_is_given_to_all_who_say_the_same_each_for_their_own_answer(words, client):
    page = client.get(at(LONG))
    assert "2 students with this answer" in text_of(page)
    after = keep(client, page, item=items(page)[:2])
    assert after.status_code == 200
    points, _ = words.grade()
    assert points == {
        ("ann", "why"): 3,
        ("bob", "why"): 3,
        ("cem", "why"): None,
        ("dia", "why"): None,
    }
    assert words.rows()["bob", "why"]["answer_id"] == answer_id(LONG.lower())
    assert answer_id(LONG.lower()) != answer_id(LONG)


def test_after_a_mark_comes_the_next_that_waits(client):
    page = client.get(QUESTION)
    assert "wording 1 of 3" in text_of(page)
    page = keep(client, page, points="2,5")
    assert "wording 2 of 3" in text_of(page)
    page = keep(client, keep(client, page, zero="yes"), points="4")
    assert "4 of 4 answers are marked, 2.25 of 4 points on average" in text_of(page)


def test_what_was_given_stands_in_the_form_again(client):
    page = client.get(at("Because."))
    keep(client, page, item=items(page)[:1], comment="Say more.")
    again = client.get(at("Because."))
    assert form_of(again)["item"] == items(page)[:1]
    assert form_of(again)["comment"] == ["Say more."]
    assert form_of(again)["points"] == [""]


def test_comments_are_there_to_be_used_again(words, client):
    keep(client, client.get(at("Because.")), points="1", comment="Say more.")
    page = client.get(at(LONG))
    reuse = re.search(r'name="reuse" value="(\w+)"', page.text)[1]
    keep(client, page, points="2", reuse=reuse)
    words.grade()
    assert words.rows()["ann", "why"]["comment"] == "Say more."


@pytest.mark.parametrize("points", ["5", "-1", "many", "", "nan"])
def test_points_that_cannot_be_are_said_and_what_was_typed_stays(client, points):
    page = keep(client, client.get(at("Because.")), points=points)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert form_of(page)["points"] == [points]


def test_two_graders_lose_nothing_to_each_other(words, client):
    other = let_in(client_of(words.out, words.course))
    mine, theirs = client.get(at("Because.")), other.get(at("Because."))
    other.cookies.set("autograder-desk-by", "ben")
    assert keep(other, theirs, points="3").status_code == 200
    late = keep(client, mine, points="1", comment="Too short.")
    assert late.status_code == 409
    assert "ben gave 3 points" in text_of(late)
    assert form_of(late)["comment"] == ["Too short."]
    assert words.grade()[0]["dia", "why"] == 3
    assert keep(client, late, points="1").status_code == 200
    assert words.grade()[0]["dia", "why"] == 1


def test_a_mark_for_an_answer_that_changed_meanwhile_is_not_kept(words, client):
    page = client.get(at("Because."))
    words.answer("dia", "Because of the variance.")
    words.grade()
    assert keep(client, page, points="1").status_code == 422
    assert words.grade()[0]["dia", "why"] is None


def test_a_changed_answer_is_shown_as_changed(words, client):
    keep(client, client.get(at("Because.")), points="1", comment="Say more.")
    words.answer("dia", "Because of the variance.")
    words.grade()
    page = client.get(at("Because of the variance."))
    assert "The answer changed. The earlier answer got 1 point: Say more." in text_of(page)
    assert "1 mark does not count" in text_of(client.get("/words"))


def test_two_marks_of_two_ways_are_shown_until_a_person_says(words, client):
    keep(client, client.get(at("Because.")), points="1")
    words.type_in("dia", "2")
    assert "1 points here, 2 points in by-hand.csv" in text_of(client.get(at("Because.")))
    keep(client, client.get(at("Because.")), points="2")
    assert words.grade()[0]["dia", "why"] == 2


def test_blind_to_names(client):
    assert "dia" in text_of(client.get(at("Because.")))
    answer = client.post(
        "/words/settings",
        data={"csrf": SECRETS.csrf, "blind": "yes", "by": "Ünal <b>"},
        headers=HERE,
    )
    assert "Ünal &lt;b&gt;" in answer.text
    page = client.get(at("Because."))
    assert "dia" not in text_of(page)
    assert keep(client, page, points="1").status_code == 200


def test_hostile_answers_are_text(words, client):
    words.answer("eve", EVIL + BIDI)
    words.answer("<i>mal", "x " * 500_000 + "end")
    words.grade()
    page = client.get(at(EVIL + BIDI))
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text
    assert BIDI not in page.text
    page = client.get(at("x " * 500_000 + "end"))
    assert len(page.text) < 60_000
    assert "1000003 characters" in text_of(page)
    whole = client.get(re.search(r'href="([^"]+/text[^"]+)"', page.text)[1])
    assert whole.headers["content-type"].startswith("text/plain")
    assert whole.text.endswith("end")
    assert "&lt;i&gt;mal" in page.text


def test_nothing_is_kept_without_the_token(words, client):
    page = client.get(at("Because."))
    fields = form_of(page) | {"points": "1", "csrf": "x"}
    assert client.post(f"{QUESTION}/keep", data=fields, headers=HERE).status_code == 403
    assert not (words.out / "marks.jsonl").exists()


@pytest.mark.parametrize("path", ["/words/essay/none", "/words/none/why", "/words/essay/cost"])
def test_what_is_not_there_is_said(client, path):
    assert client.get(path).status_code == 422
