"""Tuples, sets and records on the wire: what goes in comes out, and nothing is believed."""

import contextlib
import enum
import json
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.worker.codec import Handle, ProtocolError, decode, encode, has_handle
from autograder.worker.messages import Callback, Reply
from autograder.worker.serialise import Unsendable, serialised
from autograder.worker.values import MAX_KEYS, ListArray, Record, Tuple, TupleArray, kind_of

atoms = st.one_of(st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.text(), st.binary())
keys = st.recursive(atoms, lambda k: st.tuples(k, k) | st.frozensets(k, max_size=3), max_leaves=6)
values = st.recursive(
    atoms | st.sets(keys, max_size=3),
    lambda v: st.one_of(
        st.lists(v, max_size=3),
        st.tuples(v, v),
        st.dictionaries(keys, v, max_size=3),
    ),
    max_leaves=12,
)


def there_and_back(value, message=Reply):
    _, _, (header, *payload) = encode(message(serialised(value)))
    return decode(message, bytes(header), b"".join(bytes(p) for p in payload)).value


def as_python(value):
    """Tuples again, where they came as lists."""
    if isinstance(value, list):
        items = [as_python(item) for item in value]
        return tuple(items) if isinstance(value, Tuple) else items
    if isinstance(value, dict):
        return {key: as_python(item) for key, item in value.items()}
    return value


@settings(max_examples=80)
@given(values)
def test_values_survive(value):
    back = as_python(there_and_back(value))
    assert back == value
    assert repr(type(back)) == repr(type(value))


@dataclass
class Token:
    kind: str
    at: tuple = (0, 1)
    inner: list = field(default_factory=list)


@dataclass
class Word:
    text: str


class Colour(enum.Enum):
    RED = 1


Point = namedtuple("Point", "x y")


def test_records_survive():
    token = there_and_back(Token("word", inner=[Token("part"), {"a"}]))
    assert (token.type, list(token.fields)) == ("Token", ["kind", "at", "inner"])
    assert isinstance(token.fields["at"], Tuple) and token.fields["inner"][0].type == "Token"
    assert there_and_back(Colour.RED) == Record("Colour", {"name": "RED", "value": 1})
    assert there_and_back({Colour.RED: 1})[Record("Colour", {"name": "RED", "value": 1})] == 1
    point = there_and_back(Point(1, 2))
    assert (point.type, point.names, list(point)) == ("Point", ("x", "y"), [1, 2])


def test_long_lists_and_tuples_of_numbers_are_packed_and_known_again():
    for made, packed in ((list, ListArray), (tuple, TupleArray)):
        back = there_and_back([made(range(600))])[0]
        assert isinstance(back, packed) and back.tolist() == list(range(600))
        assert kind_of(back) is made
    assert type(there_and_back(np.arange(600))) is np.ndarray


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({(n, n) for n in range(MAX_KEYS + 1)}, "a set with an item of type tuple, over 4,096"),
        ({object()}, "a set with an item of type object"),
        ({(1, open): 2}, "a dict with a key of type builtin_function_or_method"),
        (({n} for n in range(3)), "put list"),
        (set(range(30_000)), "too many parts"),
    ],
)
def test_what_cannot_be_sent_is_said(value, said):
    with pytest.raises(Unsendable, match=said):
        serialised(value)


HOSTILE = [
    {"other": 1},
    {},
    {"tuple": [1], "set": [1]},
    {"tuple": 1},
    {"set": [[1, 2]]},
    {"set": [{"dict": []}]},
    {"set": [{"set": [1]}]},
    {"set": [{"array": [0, "|u1", [0]]}]},
    {"dict": [1]},
    {"dict": [[1], 2]},
    {"record": ["T"]},
    {"record": ["T" * 81, {}]},
    {"record": ["T", {"x" * 81: 2}]},
    {"record": [1, {"a": 2}]},
    {"named": ["T", ["x"], [1, 2]]},
    {"named": ["T", [1], [1]]},
    {"named": []},
    {"set": [{"tuple": [n]} for n in range(MAX_KEYS + 1)]},
    {"dict": [part for n in range(MAX_KEYS + 1) for part in (2**70 + n, 1)]},
    {"float": "1e9"},
    {"bytes": "not in base64"},
    {"complex": ["1", 2]},
    {"handle": ["1", "T"]},
    {"figure": [0, "|u1", [0]]},
    {"array": [0, "|u1", [1] * 17]},
    {"array": [0, "|u1", [0], 9]},
]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_such_value_is_refused(value):
    with pytest.raises(ProtocolError):
        decode(Reply, json.dumps([value]).encode(), b"")


def test_nesting_without_an_end_is_refused():
    header = b'["' + b'{"tuple":[' * 60_000
    with pytest.raises(ProtocolError):
        decode(Reply, header, b"")


@settings(max_examples=120)
@given(st.data())
def test_damaged_frames_raise_only_protocol_errors(data):
    value = [Token("a"), {(1, "b"): {2, 3}}, Point(1, 2), {b"x"}]
    _, _, (header, *_) = encode(Reply(serialised(value), ask=Callback(1, [serialised((1,))])))
    head = bytearray(header)
    for _ in range(data.draw(st.integers(1, 6))):
        head[data.draw(st.integers(0, len(head) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ProtocolError):
        decode(Reply, bytes(head), b"")


def test_questions_hold_them_too_and_no_handle_hides_in_one():
    _, _, (header, *_) = encode(
        Reply(ask=Callback(1, [serialised((1, 2))], {"k": serialised({1})}))
    )
    ask = decode(Reply, bytes(header), b"").ask
    assert isinstance(ask.args[0], Tuple) and ask.kwargs == {"k": {1}}
    assert has_handle([Record("T", {"a": Handle(1, "T")})])
    assert has_handle(Tuple([Handle(1, "T")]))


WORK = """
from dataclasses import dataclass
import enum

@dataclass
class Word:
    text: str

class Colour(enum.Enum):
    RED = 1

def kind_of(x):
    return type(x).__name__

def same(x):
    return x
"""


def test_arguments_arrive_as_what_they_are(submit):
    work = submit(WORK)
    for value in ((1, 2), {1, 2}, frozenset("a"), {(1, 2): 3}, b"x"):
        assert work.kind_of(value) == type(value).__name__
        assert as_python(work.same(value)) == value
    assert work.same([(1, [2])])[0][1] == [2]
    assert work.kind_of(Word("a")) == "Word"
    assert work.same(Word("a")) == Record("Word", {"text": "a"})
    assert work.same(Colour.RED) == Record("Colour", {"name": "RED", "value": 1})
