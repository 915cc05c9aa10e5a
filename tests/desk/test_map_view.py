"""The map of mistakes: groups lie side by side, families go over exercises."""

import re

import numpy as np
import pytest

from autograder.desk.map_view import families, heat_map, seriated
from autograder.desk.results import ClassResults
from tests.desk.conftest import text_of


def blocks(sizes):
    """A table of blocks, of so many rows and columns each."""
    table = np.zeros((sum(r for r, _ in sizes), sum(c for _, c in sizes)), dtype=bool)
    row = column = 0
    for rows, columns in sizes:
        table[row : row + rows, column : column + columns] = True
        row, column = row + rows, column + columns
    return table


@pytest.mark.parametrize("seed", range(5))
def test_groups_that_were_mixed_are_found_again(seed):
    draw = np.random.default_rng(seed)
    table = blocks([(3, 20), (2, 12), (4, 7)])
    group_of_row, group_of_column = (
        np.repeat([0, 1, 2], [3, 2, 4]),
        np.repeat([0, 1, 2], [20, 12, 7]),
    )
    rows, columns = draw.permutation(9), draw.permutation(39)
    found_rows, found_columns = seriated(table[np.ix_(rows, columns)])
    assert list(group_of_row[rows][found_rows]) == [0, 0, 0, 1, 1, 2, 2, 2, 2]
    assert (np.diff(group_of_column[columns][found_columns]) != 0).sum() == 2


def test_groups_that_share_a_few_still_lie_together():
    draw = np.random.default_rng(0)
    table = blocks([(4, 30), (4, 30)])
    table[2, 35] = table[6, 3] = True
    rows, columns = draw.permutation(8), draw.permutation(60)
    _, found = seriated(table[np.ix_(rows, columns)])
    group = (columns >= 30)[found]
    assert (np.diff(group.astype(int)) != 0).sum() == 1


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (1, 5), (5, 1), (3, 3)])
@pytest.mark.parametrize("fill", [False, True])
def test_every_table_has_an_order(shape, fill):
    rows, columns = seriated(np.full(shape, fill))
    assert sorted(rows) == list(range(shape[0])) and sorted(columns) == list(range(shape[1]))


def test_the_map_has_every_mistake_at_its_students(results, course):
    now = ClassResults(results, course)
    found = heat_map(now, now.mistakes)
    for row in found["rows"]:
        dark = set()
        for start, width in re.findall(r"M(\d+) 0h(\d+)v1", row["path"]):
            dark |= {found["students"][int(start) + k].place for k in range(int(width))}
        assert dark == set(row["made"].by)


def test_a_family_is_counted_over_exercises(results, course):
    now = ClassResults(results, course)
    for row in families(now)["rows"]:
        assert sum(count is not None for count in row.counts) >= 2
        assert row.twice <= row.students <= sum(count or 0 for count in row.counts)


def test_a_mistake_has_its_whole_name(desk, results, course):
    now = ClassResults(results, course)
    page = text_of(desk.get("/map"))
    longest = max(now.mistakes, key=lambda made: len(made.finding))
    assert len(longest.finding) > 140 and longest.finding.replace("`", "") in page
    assert "Point at the map" in page
