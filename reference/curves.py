"""Curves in a plot of the scaling experiment, and their legend labels."""

import re

import numpy as np

from autograder.author import Figure

Results = dict[int, dict[str, float]]
Labels = tuple[set[str], set[str]]
Point = tuple[float, float]
DRAWN = ("scores_std", "entropy", "max_weight")  # the measures of which one is drawn
KINDS = ("unscaled", "scaled")


def labels_of_pairs(figure: Figure, table: Results) -> list[Labels]:
    """Return the labels of the unscaled and the scaled series of each drawn measure."""
    everything = [series for axes in figure.axes for series in axes.series]
    drawn = [set(zip(series.x, series.y, strict=True)) for series in everything]
    pairs: list[Labels] = []
    for measure in DRAWN:
        labels: list[set[str] | None] = []
        for kind in KINDS:
            wanted = {(float(d), table[d][f"{measure}_{kind}"]) for d in table}
            alike = [
                series
                for series, points in zip(everything, drawn, strict=True)
                if same_points(wanted, points)
            ]
            labels.append({series.label.strip() for series in alike} if alike else None)
        unscaled, scaled = labels
        if unscaled is not None and scaled is not None:
            pairs.append((unscaled - {""}, scaled - {""}))
    return pairs


def has_other_dimensions(figure: Figure, table: Results) -> bool:
    """Return True if both series of a measure are drawn at wrong x values."""
    heights = [sorted(series.y) for axes in figure.axes for series in axes.series]
    for measure in DRAWN:
        both = [sorted(row[f"{measure}_{kind}"] for row in table.values()) for kind in KINDS]
        if all(
            any(np.allclose(wanted, y) for y in heights if len(y) == len(wanted)) for wanted in both
        ):
            return True
    return False


def says_unscaled(label: str) -> bool:
    return re.search(r"un-?scaled|not scaled|without|no scal|\braw\b", label.lower()) is not None


def says_scaled(label: str) -> bool:
    return "scaled" in label.lower() and not says_unscaled(label)


def same_points(wanted: set[Point], found: set[Point]) -> bool:
    return len(wanted) == len(found) and bool(
        np.allclose(sorted(wanted), sorted(found), rtol=1e-6, atol=1e-9, equal_nan=False)
    )


def legend_tells_apart(figure: Figure, table: Results) -> bool:
    """Return True if a legend has different labels for the two series of each measure."""
    pairs = labels_of_pairs(figure, table)
    if pairs:
        return any(unscaled and scaled and unscaled != scaled for unscaled, scaled in pairs)
    said = {text.strip() for axes in figure.axes for text in [*axes.legend, *figure.legend]}
    return len(said - {""}) > 1
