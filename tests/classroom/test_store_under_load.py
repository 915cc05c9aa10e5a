"""Sixteen processes write to one store and are killed: nothing that was acknowledged is lost."""

import multiprocessing
import os
import random
import time

import pytest

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.decisions import decision_row
from autograder.classroom.store import GivenMark, read_store
from tests.classroom.words import Words

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no forks to kill")
WRITERS, KILLS, ENTERED = 16, 24, 160
SECONDS = 240  # on the slowest machine


def write(words, folder, name, run):
    """Adjust and mark until killed; each acknowledged act is a line of the writer's own file."""
    acknowledged = os.open(folder / f"{name}-{run}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    desk, number = words.desk(), 0
    while True:
        number += 1
        act = f"{name} {run} {number}"
        where = {"student": name, "exercise": "essay", "check": ""}
        adjustments = Adjustments(words.out, words.course)
        assert adjustments.enter(where | decision_row("add", 1.0, act, name)) == ""
        os.write(acknowledged, f"adjusted {act}\n".encode())
        each = desk.answers()[name, "essay", "why"]
        desk.enter(name, [GivenMark(*each.key, each.id, 1.0, act)], [desk.standing(each).token])
        os.write(acknowledged, f"marked {act}\n".encode())


def acknowledged_in(folder):
    lines = [line for path in folder.iterdir() for line in path.read_text().splitlines()]
    return [tuple(line.split(" ", 1)) for line in lines]


@pytest.mark.thorough
def test_what_was_acknowledged_is_there(tmp_path):
    words, folder = Words(tmp_path), tmp_path / "acknowledged"
    folder.mkdir()
    names = [f"s{number}" for number in range(WRITERS)]
    for name in names:
        words.answer(name, f"The answer of {name}.")
    words.grade()
    context, chance, end = (
        multiprocessing.get_context("fork"),
        random.Random(1),
        time.time() + SECONDS,
    )

    def start(name, run):
        process = context.Process(target=write, args=(words, folder, name, run))
        process.start()
        return process

    writers, kills = {name: start(name, 0) for name in names}, 0
    try:
        while kills < KILLS or len(acknowledged_in(folder)) < ENTERED:
            assert time.time() < end
            time.sleep(chance.uniform(0.02, 0.2))
            name = chance.choice(names)
            assert writers[name].is_alive()
            writers[name].kill()
            writers[name].join()
            kills += 1
            writers[name] = start(name, kills)
    finally:
        for process in writers.values():
            process.kill()
            process.join()
    acts = acknowledged_in(folder)
    assert {kind for kind, _ in acts} == {"adjusted", "marked"}
    with read_store(words.out) as store:
        marks, adjustments = store.marks(), store.adjustments()
    assert marks.damaged == ()
    kept = {("adjusted", each.cells["why"]) for each in adjustments}
    kept |= {("marked", each.mark.comment) for all in marks.by_answer.values() for each in all}
    assert set(acts) <= kept
    table = Adjustments(words.out, words.course)
    assert {("adjusted", each.decision.why) for each in table.entered} >= set(acts) - {
        act for act in acts if act[0] == "marked"
    }
    row = {"student": "s0", "exercise": "essay", "check": "", **decision_row("add", 1.0, "", "x")}
    assert table.enter(row) == ""  # and the store goes on
