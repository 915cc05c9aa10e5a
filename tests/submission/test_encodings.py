"""The encoding of a file is the student's to choose: any of text is read, no other is tried."""

import codecs
import json

import pytest

from autograder.classroom.hand_ins import find_folders
from autograder.classroom.submissions import read_work
from autograder.submission.read import UnreadableFile, decoded
from autograder.submission.source import Siblings, from_cells, from_notebook, read_source

TEXT = "name = 'ä'\n"


@pytest.mark.parametrize(
    "cookie",
    ["utf-8", "latin-1", "iso-8859-15", "cp1252", "windows-1250", "mac-roman", "utf-8-sig"],
)
def test_encodings_of_text_are_read(cookie):
    text = f"# coding: {cookie}\n{TEXT}"
    assert decoded(text.encode(cookie), "softmax.py") == text


@pytest.mark.parametrize("cookie", ["gb18030", "gbk", "big5", "shift_jis", "euc-jp", "cp932"])
def test_encodings_of_other_scripts_are_read(cookie):
    text = f"# coding: {cookie}\nx = 1  # 注意\n"
    assert decoded(text.encode(cookie), "softmax.py") == text


@pytest.mark.parametrize("cookie", ["koi8-r", "cp1251", "iso-8859-5", "cp866"])
def test_cyrillic_is_read(cookie):
    text = f"# coding: {cookie}\nx = 1  # внимание\n"
    assert decoded(text.encode(cookie), "softmax.py") == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(encoding):
    assert decoded(f"# coding: latin-1\n{TEXT}".encode(encoding), "softmax.py").endswith(TEXT)


@pytest.mark.parametrize(
    "cookie",
    [
        *("undefined", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7"),
        *("hex", "rot13", "zlib", "bz2", "base64", "uu", "quopri", "hz", "iso2022_jp", "nothing"),
    ],
)
def test_no_other_encoding_is_tried(tmp_path, cookie, monkeypatch):
    for student in ("s1", "s2"):
        (tmp_path / student).mkdir()
    text = f"# coding: {cookie}\nx = '\\ud800 +2AA-'\n"
    (tmp_path / "s1" / "softmax.py").write_text(text)
    (tmp_path / "s1" / "causal_mask.py").write_text("import helper\n")
    (tmp_path / "s1" / "helper.py").write_text(text)
    found = read_work(find_folders(tmp_path, ["softmax"])[0][0], ["softmax", "causal_mask"])
    assert "Save it as UTF-8." in found.unclear["softmax"]
    assert found.sources["causal_mask"].helpers == {}


def test_what_is_no_text_in_its_encoding():
    for data in (b"# coding: latin-1\xff\n", b"\xff\xfe\x00\xd8", b"\xef\xbb\xbf\xff", b"\xff"):
        with pytest.raises(UnreadableFile, match="Save it as UTF-8"):
            decoded(data, "softmax.py")


def book(text):
    cell = {"cell_type": "code", "metadata": {}, "source": text}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("name", ["softmax.ipynb", "softmax.json", "softmax.txt"])
def test_a_notebook_with_a_byte_order_mark(tmp_path, mark, name):
    (tmp_path / name).write_bytes(mark + json.dumps(book(TEXT), ensure_ascii=False).encode())
    assert read_source(tmp_path / name, "softmax").text == TEXT


def test_half_characters_never_get_into_a_source(tmp_path):
    half = "x = '\ud800'\n"
    (tmp_path / "softmax.ipynb").write_text(json.dumps(book(half)))
    with pytest.raises(UnreadableFile, match="its JSON is damaged"):
        read_source(tmp_path / "softmax.ipynb", "softmax")
    siblings = Siblings(tmp_path)
    for source in (
        from_notebook(book(half), "softmax", siblings),
        from_cells([half], "softmax", siblings),
    ):
        source.text.encode()
        assert len(source.digest) == 64
