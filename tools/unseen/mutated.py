"""Mutants of correct solutions, with one or two changed lines."""

import random
from collections.abc import Iterator

import msgspec

from autograder.authoring.mutants import MutantPlace, mutant_at, places
from autograder.course.course_file import Course
from autograder.submission.stubs import BEGIN, END

ONE_STYLE = 12  # with up to this many mutants, all pairs are made


class Mutated(msgspec.Struct, frozen=True):
    """Correct solution `origin` with some changed lines, counted from 1."""

    origin: str
    text: str
    lines: tuple[int, ...]


def singles(course: Course, name: str, sample: int = 0, seed: int = 0) -> Iterator[Mutated]:
    """Yield `sample` mutants of the solution and the alternative solutions. 0 means all.

    Mutants that are not valid Python, or that equal an earlier one, do not count.

    Raises:
        UserError: the mutation tester is not installed.
    """
    texts = {
        path.stem: _marked(path.read_text(encoding="utf-8")) for path in course.right_answers(name)
    }
    wanted = [(style, place) for style, text in texts.items() for place in places(text)]
    if sample:
        random.Random(f"{seed} {name}").shuffle(wanted)
    seen: set[str] = set()
    for style, place in wanted:
        mutant = _at(style, texts[style], place)
        if mutant is not None and mutant.text not in seen:
            seen.add(mutant.text)
            yield mutant
            if sample and len(seen) >= sample:
                return


def pairs(course: Course, name: str, sample: int, seed: int = 0) -> Iterator[Mutated]:
    """Yield mutants with two changed lines, made from two mutants of one correct solution."""
    chance = random.Random(f"{seed} {name} pairs")
    by_style: dict[str, list[Mutated]] = {}
    for mutant in singles(course, name, max(4 * sample, ONE_STYLE), seed + 1):
        by_style.setdefault(mutant.origin, []).append(mutant)
    originals = {path.stem: _marked(path.read_text()) for path in course.right_answers(name)}
    found = [
        joined
        for style, mutants in by_style.items()
        for number, one in enumerate(mutants)
        for other in mutants[number + 1 :]
        if (joined := _joined(originals[style], one, other)) is not None
    ]
    chance.shuffle(found)
    yield from found[:sample]


def _marked(text: str) -> str:
    """Return a text with markers around the whole text, unless it already has markers."""
    return text if BEGIN in text else f"{BEGIN}\n{text}\n{END}\n"


def _at(style: str, text: str, place: MutantPlace) -> Mutated | None:
    mutant = mutant_at(text, place)
    if mutant is None:
        return None
    before, after = text.splitlines(), mutant.text.splitlines()
    if len(before) != len(after):
        return None
    changed = [n for n, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new]
    return Mutated(style, mutant.text, tuple(changed))


def _joined(original: str, one: Mutated, other: Mutated) -> Mutated | None:
    """Return both changes in one text, or None if they are in the same line."""
    if set(one.lines) & set(other.lines):
        return None
    lines, first = original.splitlines(), one.text.splitlines()
    second = other.text.splitlines()
    for number in one.lines:
        lines[number - 1] = first[number - 1]
    for number in other.lines:
        lines[number - 1] = second[number - 1]
    where = tuple(sorted({*one.lines, *other.lines}))
    return Mutated(one.origin, "\n".join(lines) + "\n", where)
