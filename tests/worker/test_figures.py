"""Figures as data: cut to the bounds of what is sent, and what is drawn in which order."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from autograder.worker import codec
from autograder.worker.codec import Handle, decode, encode
from autograder.worker.figures import describe_figure
from autograder.worker.messages import Reply
from autograder.worker.serialise import Unsendable, serialised


def arrives(figure):
    _, _, (header, *payload) = encode(Reply(describe_figure(figure)))
    return decode(Reply, bytes(header), b"".join(map(bytes, payload))).value


def many_texts(axes):
    for place in range(1200):
        axes.text(place / 1200, 0.5, "1")


LARGE = {
    "long texts": lambda axes: axes.set(title="x" * 9000, xlabel="y" * 9000),
    "a long label": lambda axes: axes.plot([1, 2], label="z" * 9000) and axes.legend(),
    "many texts": many_texts,
    "many points": lambda axes: axes.plot(np.linspace(0, 1, 9000)),
    "many lines": lambda axes: [axes.plot([0, 1]) for _ in range(90)],
    "many ticks": lambda axes: axes.set_xticks(np.linspace(0, 1, 950)),
    "a large image": lambda axes: axes.imshow(np.eye(400)),
    "many images": lambda axes: [axes.imshow(np.eye(2), alpha=0.5) for _ in range(70)],
    "colours for values": lambda axes: axes.imshow(np.zeros((2, 2, 3))),
    "values that are no numbers": lambda axes: axes.imshow(np.full((2, 2), np.nan)),
    "an empty line": lambda axes: axes.plot([], []) and axes.scatter([], []),
    "a polar plot": lambda axes: axes.figure.add_subplot(projection="polar").plot([1, 2]),
    "three dimensions": lambda axes: axes.figure.add_subplot(projection="3d").plot([1], [1], [1]),
    "bars and areas": lambda axes: axes.bar([1, 2], [3, 4]) and axes.fill_between([1, 2], [1, 2]),
    "bars of error": lambda axes: (
        axes.errorbar([1, 2], [1, 2], [1, 1], label="a") and axes.legend()
    ),
    "words on an axis": lambda axes: axes.plot(["a", "b"], [1, 2]) and axes.text("a", 1, "t"),
    "a table": lambda axes: axes.table([["1"]]),
    "a pie": lambda axes: axes.pie([1, 2], labels=["a", "b"]) and axes.legend(),
    "contours": lambda axes: axes.figure.colorbar(axes.contourf(np.arange(9.0).reshape(3, 3))),
    "arrows": lambda axes: axes.quiver([1], [1], [1], [1]),
    "a histogram": lambda axes: axes.hist2d([1, 2, 3], [1, 2, 3]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", LARGE)
def test_any_figure_can_be_described_and_sent(kind):
    figure = Figure()
    LARGE[kind](figure.subplots())
    assert isinstance(arrives(figure), codec.Figure)


def test_many_axes_are_cut():
    assert len(arrives_many().axes) == codec.MAX_PANELS


def arrives_many():
    figure = Figure()
    figure.subplots(5, 5)
    return arrives(figure)


def test_axes_in_subfigures_count_if_they_can_be_seen():
    figure = plt.figure()
    left, right = figure.subfigures(1, 2)
    for each in (left, right):
        each.subplots().imshow(np.eye(2))
    right.set_visible(False)
    (axes,) = arrives(figure).axes
    assert axes.images[0].hidden == 0


def test_a_mesh_whose_rows_are_columns_on_the_page_is_seen_so():
    figure = Figure()
    down, across = np.meshgrid([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    figure.subplots().pcolormesh(across, down, np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert arrives(figure).axes[0].images[0].values == [1, 3, 2, 4]


@pytest.mark.parametrize("made", [Handle(1, "x"), codec.Figure(), [Handle(-1, "f")]])
def test_what_only_the_worker_makes_is_no_plain_data(made):
    with pytest.raises(Unsendable):
        serialised(made)
