"""Reading a figure back: by its labels, and with cells left blank."""

import numpy as np

from autograder.worker.codec import Axes, Image
from reference.figures import as_labelled, blank_as_zero, image_of, matrix_of

TOKENS = ["the", "cat", "sat"]
VALUES = np.arange(9.0).reshape(3, 3)


def axes_with(y_ticks, x_ticks=TOKENS, y_edges=(0, 1, 2, 3)):
    image = Image(3, 3, VALUES.ravel().tolist(), x_edges=[0, 1, 2, 3], y_edges=list(y_edges))
    return Axes(
        images=[image],
        x_ticks=list(x_ticks),
        y_ticks=list(y_ticks),
        x_places=[0.5, 1.5, 2.5],
        y_places=[0.5, 1.5, 2.5],
    )


def read(axes, tokens=TOKENS):
    return matrix_of(as_labelled(axes, tokens).images[-1])


def test_an_image_is_read_in_the_order_of_its_labels():
    np.testing.assert_array_equal(read(axes_with(TOKENS)), VALUES)
    np.testing.assert_array_equal(read(axes_with(TOKENS[::-1])), VALUES[::-1])
    np.testing.assert_array_equal(read(axes_with(TOKENS, TOKENS[::-1])), VALUES[:, ::-1])


def test_where_the_axis_falls_the_labels_fall_with_it():
    np.testing.assert_array_equal(read(axes_with(TOKENS, y_edges=(3, 2, 1, 0))), VALUES[::-1])


def test_labels_that_name_no_token_change_nothing():
    np.testing.assert_array_equal(read(axes_with(["0", "1", "2"])), VALUES)
    np.testing.assert_array_equal(read(axes_with(["aba", "b", "aba"]), ["aba", "b", "aba"]), VALUES)


def test_the_cells_keep_their_places():
    turned = as_labelled(axes_with(TOKENS[::-1]), TOKENS).images[-1]
    assert turned.cell_at((0.5, 2.5)) == (0, 0)


def test_a_blank_cell_stands_for_zero_and_for_nothing_else():
    shown, expected = np.array([[np.nan, 1.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_array_equal(blank_as_zero(shown, expected), expected)
    assert np.isnan(blank_as_zero(shown, np.array([[0.5, 1.0]]))[0, 0])


def test_what_is_no_figure_has_no_image():
    assert image_of(None) is None
