"""The wire format: what goes in comes out, and damaged bytes raise nothing but ProtocolError."""

import contextlib
import json
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.worker.codec import (
    Axes,
    Figure,
    Handle,
    Image,
    ProtocolError,
    Series,
    Tensor,
    decode,
    encode,
)
from autograder.worker.messages import Callback, CodePlace, Problem, Reply

DTYPES = ["?", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "u2", "u4", "u8"]
arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0))
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False),
    st.text(),
    st.complex_numbers(allow_nan=False),
)
values = st.recursive(
    leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(), v, max_size=3)
)


def there_and_back(value):
    _, _, (header, *payload) = encode(Reply(value))
    return decode(Reply, bytes(header), b"".join(bytes(p) for p in payload)).value


@given(values)
def test_values_survive(value):
    assert there_and_back(value) == value


@given(arrays)
def test_arrays_survive(array):
    back = there_and_back([array])[0]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_arrays_of_any_layout_survive():
    array = np.arange(24.0).reshape(2, 3, 4)
    for odd in (array.T, array[::-1, :, ::2], array.astype(">f8"), np.asfortranarray(array)):
        np.testing.assert_array_equal(there_and_back(odd), odd)


def test_tensors_handles_and_figures_survive():
    tensor = there_and_back(np.ones(3, np.float32).view(Tensor))
    assert isinstance(tensor, Tensor)
    assert there_and_back({"h": Handle(3, "Generator")}) == {"h": Handle(3, "Generator")}
    axes = Axes("t", series=[Series("line", "a", [1.0], [2.0])], images=[Image(1, 1, [0.5])])
    assert there_and_back(Figure("title", ["a"], [axes])) == Figure("title", ["a"], [axes])


def test_infinities_survive():
    assert there_and_back([math.inf, -math.inf]) == [math.inf, -math.inf]


def test_what_cannot_be_sent_is_refused():
    with pytest.raises(TypeError):
        encode(Reply(object()))
    with pytest.raises(TypeError):
        encode(Reply(np.array([object()])))
    with pytest.raises(ValueError, match="too large"):
        encode(Reply(["x" * 1000] * 1000))


@settings(max_examples=400)
@given(st.data())
def test_damaged_frames_raise_only_protocol_errors(data):
    reply = Reply(
        [np.arange(6.0).reshape(2, 3), Handle(1, "x"), 2**70, {"a": [1j]}, Figure("f")],
        Problem("raised", "ValueError", "no"),
    )
    _, _, (header, *payload) = encode(reply)
    head, body = bytearray(header), bytearray(b"".join(bytes(p) for p in payload))
    for _ in range(data.draw(st.integers(1, 8))):
        head[data.draw(st.integers(0, len(head) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))]
    with contextlib.suppress(ProtocolError):
        decode(Reply, bytes(head), bytes(body))


@given(st.binary(max_size=300))
def test_noise_raises_only_protocol_errors(noise):
    with contextlib.suppress(ProtocolError):
        decode(Reply, noise, noise)


def test_an_array_larger_than_its_message_is_refused_before_it_is_made():
    _, _, (header, *_) = encode(Reply(np.zeros((1000, 1000))))
    with pytest.raises(ProtocolError, match="does not fit"):
        decode(Reply, bytes(header), b"\0" * 64)


def test_deep_nesting_is_refused():
    with pytest.raises(ProtocolError):
        decode(Reply, b"[" * 200_000, b"")


def frame_of(*places, payload):
    """A reply whose value is a list of arrays that lie at these places."""
    arrays = [{"array": [offset, dtype, [count]]} for dtype, offset, count in places]
    return json.dumps([arrays]).encode(), bytes(payload)


@pytest.mark.parametrize(
    "places",
    [
        [("|u1", 0, 4096), ("|u1", 0, 4096)],
        [("|b1", 0, 4096)] * 6000,
        [("|u1", 0, 4096), ("|u1", 4095, 1)],
        [("|u1", 64, 64), ("|u1", 0, 64)],
        [("<f8", 0, 512), ("|u1", 100, 8)],
        [("|u1", 4000, 97)],
        [("|u1", -1, 1)],
        [("|u1", 0, 2**40)],
        [("O", 0, 1)],
        [("<U9", 0, 1)],
    ],
)
def test_no_two_arrays_share_bytes(places):
    header, payload = frame_of(*places, payload=4096)
    with pytest.raises(ProtocolError):
        decode(Reply, header, payload)


def test_arrays_side_by_side_are_fine():
    header, payload = frame_of(("|u1", 0, 64), ("|b1", 64, 64), ("<f8", 128, 8), payload=192)
    assert [len(each) for each in decode(Reply, header, payload).value] == [64, 64, 8]


TOO_MUCH = {
    "message": Reply(problem=Problem("raised", message="x" * 501)),
    "type": Reply(problem=Problem("raised", type="x" * 81)),
    "line": Reply(problem=Problem("raised", place=CodePlace("a.py", 1, "x" * 201))),
    "label": Reply(problem=Problem("raised", place=CodePlace("x" * 201, 1))),
    "line number": Reply(problem=Problem("raised", place=CodePlace("a.py", -1))),
    "names": Reply(problem=Problem("missing", names=["x"] * 201)),
    "name": Reply(problem=Problem("missing", names=["x" * 81])),
    "shapes": Reply(problem=Problem("raised", shapes={str(n): [1] for n in range(9)})),
    "axes": Reply(problem=Problem("raised", shapes={"x": [1] * 33})),
    "size": Reply(problem=Problem("raised", shapes={"x": [-1]})),
    "printed": Reply(printed="x" * (16 * 1024 + 1)),
    "problems": Reply(problems=[Problem("raised")] * 1001),
    "question": Reply(ask=Callback(-1)),
}


@pytest.mark.parametrize("field", TOO_MUCH)
def test_every_field_of_a_reply_has_its_bound(field):
    _, _, (header, *payload) = encode(TOO_MUCH[field])
    with pytest.raises(ProtocolError):
        decode(Reply, bytes(header), b"".join(bytes(p) for p in payload))


FIGURES = {
    "title": ["x" * 301],
    "legend": ["", ["a"] * 1101],
    "legend text": ["", ["x" * 301]],
    "axes": ["", [], [[]] * 17],
    "tick": ["", [], [["", "", "", "", "", ["x" * 301]]]],
    "ticks": ["", [], [["", "", "", "", "", ["x"] * 1101]]],
    "texts": ["", [], [["", "", "", "", "", [], [], [], ["1"] * 1101]]],
    "text": ["", [], [["", "", "", "", "", [], [], [], ["1" * 20_000 + "x"]]]],
    "series": ["", [], [[*[""] * 5, [], [], [], [], [["line", "", [], []]] * 129]]],
    "points": ["", [], [[*[""] * 5, [], [], [], [], [["line", "", [0.0] * 4097, [0.0] * 4097]]]]],
    "x without y": ["", [], [[*[""] * 5, [], [], [], [], [["line", "", [0.0], []]]]]],
    "images": ["", [], [[*[""] * 5, [], [], [], [], [], [[0, 0, []]] * 65]]],
    "cells": ["", [], [[*[""] * 5, [], [], [], [], [], [[1, 16_385, [0.0] * 16_385]]]]],
    "fewer values than cells": ["", [], [[*[""] * 5, [], [], [], [], [], [[3, 3, [0.0]]]]]],
    "fewer edges than cells": ["", [], [[*[""] * 5, [], [], [], [], [], [[1, 1, [0.0], [0.0]]]]]],
    "rows below 0": ["", [], [[*[""] * 5, [], [], [], [], [], [[-1, -1, [0.0]]]]]],
    "places": ["", [], [[*[""] * 5, [], [], [], [], [], [], [0.0] * 1101]]],
    "places of texts": ["", [], [[*[""] * 5, [], [], [], [], [], [], [], [], [[0.0, 0.0]] * 1101]]],
    "box": ["", [], [[*[""] * 5, [], [], [], [], [], [], [], [], [], False, [0.0] * 5]]],
}


@pytest.mark.parametrize("field", FIGURES)
def test_every_field_of_a_figure_has_its_bound(field):
    figure = msgspec.msgpack.encode(FIGURES[field])
    header = json.dumps([{"figure": [0, "|u1", [len(figure)]]}]).encode()
    with pytest.raises(ProtocolError):
        decode(Reply, header, figure)
