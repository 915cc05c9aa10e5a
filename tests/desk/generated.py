"""A class of any size, sampled from the graded sample class.

Submissions can be copied from the sample class along with the results.

`python -m tests.desk.generated RESULTS` stores the records in a folder of results of the sample
class; `python -m tests.desk.generated FOLDER 300` writes a class of 300 to look at.
"""

import lzma
import random
import shutil
import sys
from pathlib import Path

import msgspec

from autograder.classroom.history import GradeCommand, remember_command
from autograder.report.model import HandIn, Report, worst

SAMPLE = Path(__file__).with_name("sample_class.jsonl.xz")
SECTIONS = ("Monday", "Tuesday", "Friday")
FIRST = ("Ada", "Émile", "Bo", "Chidi", "Dilek", "Eun-ji", "Fatima", "Goran", "Hana", "Ines")
LAST = ("Okafor", "Lindqvist", "Nguyễn", "García", "Şahin", "O’Neill", "Kovač", "Weiß", "Ito")
OWN = 0.7  # share of a student's exercises that come from one student of the sample


def sample() -> list[Report]:
    """Return the records of the sample class."""
    with lzma.open(SAMPLE) as file:
        return [msgspec.json.decode(line, type=Report) for line in file]


def drawn_class(size: int, seed: int = 0) -> list[Report]:
    """Return this many students; each mostly copies one of the sample, and sometimes others."""
    draw, known = random.Random(seed), sample()
    return [_student(draw, known, number)[0] for number in range(size)]


def _student(draw: random.Random, known: list[Report], number: int) -> tuple[Report, list[str]]:
    """Return a student, and for each exercise the student of the sample whose work it is."""
    model = draw.choice(known)
    whose = [model if draw.random() < OWN else draw.choice(known) for _ in model.exercises]
    exercises = tuple(each.exercises[place] for place, each in enumerate(whose))
    points = round(sum(each.points for each in exercises), 2)
    name = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
    student = f"u{number:04}"
    hand_in = HandIn(name=name, email=f"{student}@uni.example", section=draw.choice(SECTIONS))
    report = msgspec.structs.replace(
        model,
        student=student,
        exercises=exercises,
        points=points,
        status=worst([each.status for each in exercises]),
        hand_in=hand_in,
        notes=(),
        lateness=(),
        adjustments=(),
    )
    return report, [each.student for each in whose]


def with_submissions(folder: Path, size: int, course: Path, seed: int = 0) -> Path:
    """Return a folder with the results of such a class, next to its submissions."""
    draw, known = random.Random(seed), sample()
    drawn = [_student(draw, known, number) for number in range(size)]
    results = write(folder / "results", [report for report, _ in drawn])
    for report, whose in drawn:
        mine = folder / "submissions" / report.student
        mine.mkdir(parents=True)
        for exercise, student in zip(report.exercises, whose, strict=True):
            source = course / "examples" / "class" / student / exercise.file
            if exercise.file and source.is_file():
                shutil.copyfile(source, mine / exercise.file)
    remember_command(
        results, GradeCommand(submissions=str(folder / "submissions"), course=str(course))
    )
    return results


def write(folder: Path, reports: list[Report]) -> Path:
    """Return a folder of results with these reports."""
    folder.mkdir(parents=True, exist_ok=True)
    data = b"".join(msgspec.json.encode(report) + b"\n" for report in reports)
    (folder / "report.jsonl").write_bytes(data)
    return folder


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if len(sys.argv) > 2:
        with_submissions(where, int(sys.argv[2]), Path.cwd())
    else:
        SAMPLE.write_bytes(lzma.compress((where / "report.jsonl").read_bytes(), preset=9))
