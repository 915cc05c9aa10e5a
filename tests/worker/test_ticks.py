"""What is written at ticks is what matplotlib writes there, and looks like it."""

import matplotlib.pyplot as plt
import pytest

from autograder.worker.figure_layout import tick_labels
from tests.worker.test_figure_layout import DRAWN


def looks(label):
    return label.get_visible(), label.get_alpha(), label.get_color(), label.get_fontsize()


def expected(axis):
    """The ticks with labels that matplotlib makes."""
    axis.get_ticklabels(which="both")
    for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
        if tick.label1.get_text():
            both = [looks(tick.label1), looks(tick.label2)]
            yield float(tick.get_loc()), tick.label1.get_text(), both


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_labels_are_those_of_the_ticks(draw):
    figures = [draw(), draw()]
    for figure in figures:
        for axes in figure.axes:
            axes.apply_aspect()
    mine, made = ([(a.xaxis, a.yaxis) for a in figure.axes] for figure in figures)
    for pair, theirs in zip(mine, made, strict=True):
        for axis, other in zip(pair, theirs, strict=True):
            found = [
                (
                    float(label.place),
                    label.text,
                    [looks(label.tick.label1), looks(label.tick.label2)],
                )
                for label in tick_labels(axis)
                if label.text
            ]
            assert found == list(expected(other))
    for figure in figures:
        plt.close(figure)
