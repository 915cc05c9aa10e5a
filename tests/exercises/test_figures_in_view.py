"""Figures are graded on what a reader sees: not on what is listed and hidden, covered or faint."""

import textwrap

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(40)

HEATMAP = (ROOT / "solutions" / "attention_heatmap.py").read_text()
SCALING = (ROOT / "solutions" / "scaling_experiment.py").read_text()

AFTERWARDS = """
import matplotlib as mpl
inner = plot_attention
def plot_attention(weights, tokens, title=None):
    figure = inner(weights, tokens, title)
    axes, bar = figure.axes[:2]
    image, n = axes.images[0], len(tokens)
{}
    return figure
"""
EFFECT = """
import matplotlib as mpl
inner_effect = plot_mask_effect
def plot_mask_effect(scores, mask):
    figure = inner_effect(scores, mask)
    panels = figure.axes
    images = [axes.images[0] for axes in panels]
{}
    return figure
"""
PLOT = """
inner_plot = plot_scaling
def plot_scaling(results):
    figure = inner_plot(results)
    for axes in figure.axes:
{}
    return figure
"""

IMAGE = {"test_image", "test_other_sizes"}
HIDDEN_PICTURES = {
    "another image over it": ("axes.imshow(np.asarray(weights).T[::-1])", IMAGE | {"test_colour_bar"}),
    "a patch over it": ("axes.add_patch(plt.Rectangle((-5, -5), 50, 50, zorder=9))",
                        IMAGE | {"test_cell_texts"}),
    "an area over it": ("axes.axvspan(-1, n, zorder=9)", IMAGE | {"test_cell_texts"}),
    "a large dot over it": ("axes.scatter([n / 2], [n / 2], s=1e6, zorder=9)",
                            IMAGE | {"test_cell_texts"}),
    "other axes over it": ("figure.add_axes((0, 0, 1, 1))", IMAGE | {"test_cell_texts"}),
    "a patch on the page": ("figure.add_artist(plt.Rectangle((0, 0), 1, 1))",
                            IMAGE | {"test_cell_texts"}),
    "one colour": ("image.set_cmap(mpl.colors.ListedColormap(['white']))", IMAGE),
    "one bin": ("image.set_norm(mpl.colors.BoundaryNorm([0, 5, 6], 256))", IMAGE),
    "two bins": ("image.set_norm(mpl.colors.BoundaryNorm([0, 0.5, 1], 256))", IMAGE),
    "colours that begin beyond": ("image.set_clim(2, 3)", IMAGE),
    "hardly opaque": ("image.set_alpha(0.01)", None),
    "invisible": ("image.set_visible(False)", None),
    "invisible axes": ("axes.set_visible(False)", None),
    "an invisible figure": ("figure.set_visible(False)", None),
    "beyond the limits": ("axes.set(xlim=(100, 200), ylim=(100, 200))",
                          IMAGE | {"test_cell_texts", "test_tick_labels"}),
    "half of it beyond the limits": ("axes.set_xlim(0.6, n)", None),
    "too small": ("axes.set_position((0.5, 0.5, 0.005, 0.005))", IMAGE),
    "cut off": ("image.set_clip_path(plt.Circle((90, 90), 1, transform=axes.transData))", IMAGE),
    "turned": ("image.set_transform(mpl.transforms.Affine2D().rotate_deg_around((n - 1) / 2, "
               "(n - 1) / 2, 90) + axes.transData)", None),
    "elsewhere than its ticks": ("image.set_extent((0, 300, 300, 0))",
                                 {"test_tick_labels", "test_cell_texts"}),
}  # fmt: skip
TICKS, LABELS, BAR, TEXTS = (
    {"test_tick_labels"},
    {"test_axis_labels"},
    {"test_colour_bar"},
    {"test_cell_texts"},
)
EVERY_TEXT = "for text in axes.texts: text."
UNREADABLE = {
    "axes off": ("axes.set_axis_off()", TICKS | LABELS),
    "ticks without labels": ("axes.tick_params(labelbottom=False, labelleft=False)", TICKS),
    "white tick labels": ("axes.tick_params(labelcolor='white')", TICKS),
    "tiny tick labels": ("axes.tick_params(labelsize=0.1)", TICKS),
    "an invisible axis": ("axes.yaxis.set_visible(False)", TICKS | LABELS),
    "labels that say nothing": ("axes.set(xlabel='a', ylabel='b')", LABELS),
    "labels that say words": ("axes.set(xlabel='tokens', ylabel='words')", LABELS),
    "labels exchanged": ("axes.set(xlabel='from', ylabel='to')", LABELS),
    "a white label": ("axes.xaxis.label.set_color('white')", LABELS),
    "an invisible label": ("axes.yaxis.label.set_visible(False)", LABELS),
    "a bar by name only": ("bar.remove(); figure.add_axes((.9, .1, .05, .8), label='<colorbar>')",
                           BAR),
    "a bar of something else": (
        "bar.remove(); figure.colorbar(plt.cm.ScalarMappable(plt.Normalize(500, 900), 'gray'), "
        "ax=axes)", BAR),
    "an invisible bar": ("bar.set_visible(False)", BAR),
    "a bar without numbers": ("bar.set_axis_off()", BAR),
    "texts elsewhere": (EVERY_TEXT + "set_transform(axes.transAxes)", TEXTS),
    "texts moved by pixels": (
        EVERY_TEXT + "set_transform(axes.transData + mpl.transforms.Affine2D().translate(500, 0))",
        TEXTS),
    "transparent texts": (EVERY_TEXT + "set_color((1, 1, 1, 0))", TEXTS),
    "faint texts": (EVERY_TEXT + "set_alpha(0)", TEXTS),
    "invisible texts": (EVERY_TEXT + "set_visible(False)", TEXTS),
    "texts of their cells' colours": (
        "for text in axes.texts: text.set_color(image.cmap(image.norm("
        "weights[text.get_position()[1], text.get_position()[0]])))", TEXTS),
    "white texts, also on light cells": (EVERY_TEXT + "set_color('white')", TEXTS),
    "black texts, also on a black cell": (
        EVERY_TEXT + "set_color('black')\nimage.set_cmap('gray')\n"
        "image.set_clim(weights.min(), weights.max())", TEXTS),
    "all numbers in each cell": (
        "[axes.text(j, i, f'{w:.2f}') for i in range(n) for j in range(n) for w in weights.flat]",
        TEXTS),
    "a title of its own": ("axes.set_title(title or 'untitled')", {"test_title"}),
    "a blank title": ("axes.title.set_color('white')", {"test_title"}),
}  # fmt: skip


def lost(report):
    return {check.name for check in report.checks if check.points < check.max_points}


def after(frame, line, indent=4):
    return frame.format(textwrap.indent(line, " " * indent))


@pytest.mark.parametrize("way", HIDDEN_PICTURES)
def test_an_image_that_cannot_be_seen_is_none(grade_text, way):
    line, checks = HIDDEN_PICTURES[way]
    report = grade_text("attention_heatmap", HEATMAP + after(AFTERWARDS, line))
    assert "test_image" in lost(report) or checks == {"test_tick_labels", "test_cell_texts"}
    assert checks is None or lost(report) == checks


@pytest.mark.parametrize("way", UNREADABLE)
def test_what_cannot_be_read_is_not_written(grade_text, way):
    line, checks = UNREADABLE[way]
    report = grade_text("attention_heatmap", HEATMAP + after(AFTERWARDS, line))
    assert lost(report) == checks


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("digits", "name"), [(".0f", ("whole-numbers",)), (".0%", ()), (".1f", ())]
)
def test_numbers_in_cells_need_a_decimal(grade_text, digits, name):
    line = EVERY_TEXT + f"set_text(format(float(text.get_text()), '{digits}'))"
    report = grade_text("attention_heatmap", HEATMAP + after(AFTERWARDS, line))
    found = [check.diagnosis.misconceptions for check in report.checks if check.diagnosis]
    assert found == [name] * bool(name)


PANELS = {
    "from right to left": "[a.set_position((.7 - .3 * k, .1, .25, .8)) for k, a in "
    "enumerate(panels)]",
    "one over the other": "[a.set_position((.1, .1, .8, .8)) for a in panels]",
    "invisible": "[a.set_visible(False) for a in panels]",
    "others over them": "panels[1].imshow(images[0].get_array())",
    "one of them covered": "panels[2].add_patch(plt.Rectangle((-1, -1), 9, 9, zorder=3))",
    "one colour": "images[0].set_clim(5, 6)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("way", PANELS)
def test_three_panels_are_what_stands_side_by_side(grade_text, way):
    report = grade_text("attention_heatmap", HEATMAP + after(EFFECT, PANELS[way]))
    assert "test_mask_effect" in lost(report)


FABRICATED = """
import sys
import numpy as np
codec = next(m for name, m in list(sys.modules.items()) if name.endswith("worker.codec"))
def plot_attention(weights, tokens, title=None):
    return {}
def plot_mask_effect(scores, mask):
    return {}
"""
MADE_UP = ("codec.Figure()", "[codec.Figure()]", "{'a': codec.Figure()}", "codec.Handle(1, 'x')")


@pytest.mark.parametrize("made", MADE_UP)
def test_a_figure_that_was_never_drawn_is_none(grade_text, made):
    report = grade_text("attention_heatmap", FABRICATED.format(made, made))
    assert report.points == 0
    assert report.status == "graded"


SERIES, WORDS = "test_plot_series", "test_plot_labels"
LINES = "[line.{} for line in axes.get_lines()]"
CURVES = {
    "invisible lines": (LINES.format("set_visible(False)"), {SERIES, WORDS}),
    "transparent lines": (LINES.format("set_alpha(0)"), {SERIES, WORDS}),
    "white lines": (LINES.format("set(color='white', markerfacecolor='white', "
                                 "markeredgecolor='white')"), None),
    "no line and no marker": (LINES.format("set(linestyle='', marker='')"), {SERIES, WORDS}),
    "beyond the limits": ("axes.set_ylim(1e4, 1e5)", {SERIES}),
    "a patch over all": ("axes.axvspan(1, 1e3, zorder=9)", {SERIES}),
    "an invisible legend": ("axes.get_legend().set_visible(False)", {WORDS}),
    "axes off": ("axes.set_axis_off()", {WORDS}),
    "invisible axes": ("axes.set_visible(False)", {SERIES, WORDS}),
    "a white legend": ("[text.set_color('white') for text in axes.get_legend().get_texts()]",
                       {WORDS}),
    "labels exchanged": ("axes.legend(['scaled', 'unscaled'])", {SERIES}),
    "handles exchanged": ("axes.legend(axes.get_lines()[::-1], ['unscaled', 'scaled'])", {SERIES}),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("way", CURVES)
def test_lines_and_legends_are_those_that_can_be_seen(grade_text, way):
    line, checks = CURVES[way]
    report = grade_text("scaling_experiment", SCALING + after(PLOT, line, 8))
    assert lost(report) == checks or (checks is None and lost(report))
    if "exchanged" in way:
        (check,) = [check for check in report.checks if check.name == SERIES]
        assert "labels are exchanged" in check.finding


RIGHT_LINES = {
    "handles by hand": "axes.legend(handles=[plt.Line2D([], [], color=line.get_color(), "
    "label=kind) for line, kind in zip(axes.get_lines(), ['unscaled', 'scaled'])])",
    "patches as handles": "axes.legend(handles=[plt.Rectangle((0, 0), 1, 1, "
    "color=line.get_color(), label=kind) for line, kind in zip(axes.get_lines(), "
    "['unscaled', 'scaled'])])",
    "in the other order": "axes.legend(axes.get_lines()[::-1], ['scaled', 'unscaled'])",
    "both in black": LINES.format("set_color('black')") + "; axes.legend()",
    "a grid, and a line across": "axes.grid(); axes.axhline(1, color='grey')",
    "a background": "axes.set_facecolor('lightgrey'); axes.axvspan(1, 20, alpha=0.2)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("style", RIGHT_LINES)
def test_curves_in_any_style_keep_full_marks(grade_text, style):
    report = grade_text("scaling_experiment", SCALING + after(PLOT, RIGHT_LINES[style], 8))
    assert lost(report) == set()


RIGHT = {
    "texts white on dark": "for text in axes.texts: text.set_color('white' if "
    "float(text.get_text()) > 0.5 else 'black')",
    "texts all white": EVERY_TEXT + "set_color('white')\nimage.set_cmap('viridis')",
    "boxes round the texts": EVERY_TEXT + "set_bbox(dict(facecolor='white', alpha=0.8))",
    "few colours": "image.set_cmap(plt.get_cmap('Blues', 5))",
    "lines between cells": "axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)\n"
    "axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)\n"
    "axes.grid(which='minor', color='white')\naxes.tick_params(which='minor', length=0)",
    "a frame round a cell": "axes.add_patch(plt.Rectangle((-.5, -.5), 1, 1, fill=False))",
    "ticks on top": "axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)",
    "no tick marks, turned labels": "axes.tick_params(length=0, axis='both')\n"
    "axes.tick_params(axis='x', rotation=45)",
    "no frame": "[spine.set_visible(False) for spine in axes.spines.values()]",
    "the first row below": "axes.invert_yaxis()",
    "closed": "plt.close(figure)",
    "dark": "figure.set_facecolor('black')\naxes.tick_params(colors='white')\n"
    "axes.xaxis.label.set_color('white')\naxes.yaxis.label.set_color('white')\n"
    "axes.title.set_color('white')\nbar.tick_params(colors='white')",
    "a bar of the same colours": "bar.remove()\nfigure.colorbar(plt.cm.ScalarMappable("
    "image.norm, image.cmap), ax=axes)",
    "a bar on axes of its own": "bar.remove()\nfigure.colorbar(image, cax=axes.inset_axes("
    "(1.05, 0, 0.05, 1)))",
    "drawn twice": "axes.imshow(weights, cmap='Blues', vmin=0, vmax=1)",
    "cells on a scale from 0 to 1": "image.set_extent((0, 1, 1, 0))\n"
    "axes.set_xticks((np.arange(n) + 0.5) / n, tokens)\n"
    "axes.set_yticks((np.arange(n) + 0.5) / n, tokens)\n"
    "for text in axes.texts: text.set_position((np.array(text.get_position()) + 0.5) / n)",
}


@pytest.mark.parametrize("style", RIGHT)
def test_heat_maps_in_any_style_keep_full_marks(grade_text, style):
    report = grade_text("attention_heatmap", HEATMAP + after(AFTERWARDS, RIGHT[style]))
    assert [check.finding for check in report.checks if check.finding] == []


WHOLE = {
    "seaborn": """
        import seaborn as sns
        figure, axes = plt.subplots()
        sns.heatmap(weights, annot=True, fmt=".2f", xticklabels=tokens, yticklabels=tokens, ax=axes)
        axes.set(xlabel="Key", ylabel="Query")
        if title: axes.set_title(title)
        """,
    "seaborn in percent": """
        import seaborn as sns
        figure = plt.figure()
        axes = sns.heatmap(weights, annot=True, fmt=".0%", cmap="rocket", square=True, vmin=0,
                           vmax=1, linewidths=0.5, xticklabels=tokens, yticklabels=tokens)
        axes.set_xlabel("attended to"); axes.set_ylabel("attending")
        axes.set_title(title or "")
        """,
    "a mosaic": """
        figure, named = plt.subplot_mosaic([["map", "bar"]], width_ratios=[9, 1])
        axes = named["map"]
        figure.colorbar(axes.matshow(weights), cax=named["bar"])
        axes.set_xticks(range(len(tokens)), labels=tokens)
        axes.set_yticks(range(len(tokens)), labels=tokens)
        axes.set(xlabel="source", ylabel="target")
        for (i, j), w in np.ndenumerate(weights): axes.text(j, i, f"{w:.0%}", va="center")
        figure.suptitle(title or "")
        """,
    "numbers and labels as mathematics": """
        figure, axes = plt.subplots()
        figure.colorbar(axes.imshow(weights), label="$w_{ij}$")
        axes.set_xticks(range(len(tokens)), tokens)
        axes.set_yticks(range(len(tokens)), tokens)
        axes.set(xlabel="$k_j$ (key)", ylabel="$q_i$ (query)")
        for (i, j), w in np.ndenumerate(weights): axes.text(j, i, f"${100 * w:.1f}\\\\%$")
        axes.set_title("" if title is None else title)
        """,
    "pcolor and annotations": """
        figure, axes = plt.subplots(layout="constrained")
        figure.colorbar(axes.pcolor(weights), location="left")
        axes.set_xticks(np.arange(len(tokens)) + 0.5, tokens)
        axes.set_yticks(np.arange(len(tokens)) + 0.5, tokens)
        axes.set(xlabel="$K$", ylabel="$Q$")
        for (i, j), w in np.ndenumerate(weights):
            axes.annotate(f"{100 * w:.1f}%", xy=(j + 0.5, i + 0.5), xytext=(0, 0),
                          textcoords="offset points", ha="center")
        if title is not None: axes.set_title(title, loc="left")
        """,
}


@pytest.mark.thorough
@pytest.mark.parametrize("style", WHOLE)
def test_heat_maps_of_other_kinds_keep_full_marks(grade_text, style):
    text = "\ndef plot_attention(weights, tokens, title=None):\n"
    text += textwrap.indent(textwrap.dedent(WHOLE[style]), "    ") + "    return figure\n"
    report = grade_text("attention_heatmap", HEATMAP + text)
    assert [check.finding for check in report.checks if check.finding] == []
