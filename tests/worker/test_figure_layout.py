"""A figure that is laid out without drawing is described as one that was drawn."""

import importlib.util

import matplotlib.pyplot as plt
import msgspec
import numpy as np
import pytest
from matplotlib.ticker import Formatter

from autograder.worker import figure_layout, figures
from tests.conftest import ROOT

WEIGHTS = np.random.default_rng(4).dirichlet(np.ones(4), size=4)
TOKENS = ["the", "cat", "sat", "down"]


def of_solution(path, call):
    spec = importlib.util.spec_from_file_location("drawn", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return call(module)


def heat_map(path):
    return lambda: of_solution(path, lambda m: m.plot_attention(WEIGHTS, TOKENS, title="Head 1"))


def three(path):
    mask = np.tril(np.ones((4, 4), bool))
    return lambda: of_solution(path, lambda m: m.plot_mask_effect(WEIGHTS, mask))


def curves():
    figure, axes = plt.subplots()
    for factor in (1, 3):
        axes.loglog([1, 10, 100], [factor, 20, 300], label=f"{factor} times", marker="o")
    axes.scatter([2, 3], [4, 5], c=[0.2, 0.9])
    axes.set(title="Growth", xlabel="size", ylabel="seconds")
    axes.legend()
    return figure


def meshes():
    figure, (left, right) = plt.subplots(1, 2, sharey=True)
    figure.colorbar(left.pcolormesh(WEIGHTS), extend="both")
    right.bar([0, 1], [2, 3])
    right.axis("off")
    return figure


def mathematics():
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4])
    axes.set_xticks([1, 2], ["$d_k$", "$2 d_k$"])
    return figure


def notes():
    figure, axes = plt.subplots()
    axes.imshow(WEIGHTS, extent=(0, 2, 0, 8))
    axes.annotate("here", (0.5, 0.5), xytext=(20, 20), textcoords="offset points")
    axes.annotate("far", (50, 0.5), bbox={"facecolor": "white"})
    axes.annotate("in the middle", (0.5, 0.5), xycoords="axes fraction", annotation_clip=False)
    axes.annotate("upper", (1, 6), xytext=(1.5, 7), clip_on=True)
    return figure


def arrows():
    figure = notes()
    figure.axes[0].annotate("there", (0.5, 0.5), xytext=(1, 7), arrowprops={"arrowstyle": "->"})
    return figure


def minor_labels():
    figure, (left, right) = plt.subplots(1, 2)
    left.semilogy([1, 2], [2, 7])  # less than a decade: minor ticks have labels
    left.set_xticks([1, 2], ["one", "two"])
    left.set_xticks([1.2, 1.7], ["between", ""], minor=True)
    left.xaxis.get_major_ticks()[1].label1.set_visible(False)
    right.tick_params(axis="x", bottom=False, labelbottom=False)
    right.yaxis.get_major_ticks()[0].label1.set_alpha(0)  # all that are made later are like it
    right.yaxis.tick_right()
    return figure


class _One(Formatter):
    def __call__(self, x, pos=None):
        return str(x)

    def format_ticks(self, values):
        return ["first"]


def too_few_labels():
    figure, (left, right) = plt.subplots(1, 2)
    left.set_xticks([0, 0.5, 1], ["a", "b", "c"])
    left.xaxis.set_major_formatter(_One())
    right.yaxis.set_major_formatter(lambda x, pos: None if x > 0.5 else x)
    return figure


RIGHT = [
    ROOT / "solutions/attention_heatmap.py",
    *ROOT.glob("examples/right/attention_heatmap/*.*"),
]
DRAWN = {"curves": curves, "meshes": meshes, "mathematics": mathematics, "notes": notes}
DRAWN |= {"arrows": arrows, "minor labels": minor_labels, "too few labels": too_few_labels}
DRAWN |= {f"heat map of {path.name}": heat_map(path) for path in RIGHT}
DRAWN |= {f"three of {path.name}": three(path) for path in RIGHT}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_it_is_described_as_if_it_were_drawn(draw, monkeypatch):
    laid_out = msgspec.msgpack.encode(figures.describe_figure(draw()))
    monkeypatch.setattr(figure_layout, "is_plain", lambda figure: False)
    assert laid_out == msgspec.msgpack.encode(figures.describe_figure(draw()))


def test_what_cannot_be_drawn_is_an_error():
    figure, axes = plt.subplots()
    axes.set_title(r"$\frac{1$")
    with pytest.raises(ValueError):
        figures.describe_figure(figure)


def test_what_only_drawing_changes_is_seen():
    figure, axes = plt.subplots()
    figure.canvas.mpl_connect("draw_event", lambda event: axes.set_title("late"))
    assert figures.describe_figure(figure).axes[0].title == "late"
