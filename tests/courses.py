"""Small courses for tests, on any subject, written into a folder."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import yaml

from autograder.course.course_file import Course, load_course

NUMBERS = itertools.count()


def write_course(
    folder: Path,
    exercises: Mapping[str, float | Mapping[str, object]],
    *,
    checks: Mapping[str, str] | None = None,
    answers: str = "",
    solutions: Mapping[str, str] | None = None,
    stubs: Mapping[str, str] | None = None,
    **settings: object,
) -> Course:
    """Write a course into a folder and load it.

    Args:
        exercises: points by name, or all settings of an exercise in course.yml.
        checks, solutions, stubs: texts by exercise.
        answers: the text of the reference package.
        settings: other settings of course.yml.

    The course's packages get new names each time, because Python keeps imported modules.
    """
    name = f"course{next(NUMBERS)}"
    content: dict[str, object] = {"title": "Tiny", **settings, "exercises": []}
    entries = []
    for exercise, given in exercises.items():
        fields = dict(given) if isinstance(given, Mapping) else {"points": given}
        entries.append({"name": exercise, "title": exercise.capitalize(), **fields})
    content["exercises"] = entries
    files = {
        **{f"solutions/{key}.py": text for key, text in (solutions or {}).items()},
        **{f"exercises/{key}.py": text for key, text in (stubs or {}).items()},
    }
    if checks is not None:
        content |= {"reference": f"{name}_answers", "checks": f"{name}_checks"}
        files[f"{name}_answers/__init__.py"] = answers
        files |= {f"{name}_checks/test_{key}.py": text for key, text in checks.items()}
    files["course.yml"] = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return load_course(folder / "course.yml")
