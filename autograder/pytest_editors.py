"""How editors see the checks that pytest collects: in the student's file, and by their titles.

VS Code asks pytest for a tree of tests (its plugin is `vscode_pytest`, with `--collect-only`) and
takes names and lines from the items; later it runs them by their ids. PyCharm and JUnit take ids
and places from the reports. So an id stays what it is, a place is in the student's file, and a
title takes a name's place only where nothing is run.
"""

from collections.abc import Iterable

import pytest

TREE = "vscode_pytest"


def title_of(item: pytest.Item) -> str:
    """What students read of a check."""
    mark = item.get_closest_marker("check")
    return str(mark.args[0]) if mark and mark.args else item.name


def place_in_file(item: pytest.Item) -> None:
    """Say that a check is at the top of the student's file; where its own code lies is hidden."""
    item.location = (item.nodeid.split("::")[0], 0, item.name)


def name_by_titles(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Give the checks their titles for names, where an editor only collects.

    A check with parameters keeps its brackets, by which the editor groups them.
    """
    if not (config.option.collectonly and config.pluginmanager.hasplugin(TREE)):
        return
    for item in items:
        grouped = hasattr(item, "callspec")
        item.name = f"{item.name.split('[')[0]}[{title_of(item)}]" if grouped else title_of(item)
