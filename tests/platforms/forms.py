"""JSON schemas of the files that platforms accept, written from the platforms' documentation.

Gradescope: its autograder specifications. PrairieLearn: external grading.
"""

import jsonschema

TEXT = {"type": "string"}
NOT_EMPTY = {"type": "string", "minLength": 1}
POINTS = {"type": "number"}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}


def closed(required, **properties):
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


GRADESCOPE = closed(
    ["score", "tests"],
    score=POINTS,
    execution_time={"type": "number", "minimum": 0},
    output=TEXT,
    output_format=FORMAT,
    visibility=VISIBILITY,
    stdout_visibility=VISIBILITY,
    extra_data={"type": "object"},
    tests={
        "type": "array",
        "items": closed(
            ["name"],
            score=POINTS,
            max_score={"type": "number", "minimum": 0},
            status={"enum": ["passed", "failed"]},
            name=NOT_EMPTY,
            name_format=FORMAT,
            number=NOT_EMPTY,
            output={"type": "string", "pattern": r"\A[^\r]*\Z"},
            output_format=FORMAT,
            visibility=VISIBILITY,
        ),
    },
)

IMAGES = {
    "type": "array",
    "items": closed(
        ["url"], label=NOT_EMPTY, url={"type": "string", "pattern": "^data:image/png;base64,.+"}
    ),
}
PRAIRIELEARN = {
    "oneOf": [
        closed(
            ["gradable", "score"],
            gradable={"const": True},
            score={"type": "number", "minimum": 0, "maximum": 1},
            message=TEXT,
            output=TEXT,
            images=IMAGES,
            tests={
                "type": "array",
                "items": closed(
                    ["name", "points", "max_points"],
                    name=NOT_EMPTY,
                    description=TEXT,
                    points=POINTS,
                    max_points=POINTS,
                    message=TEXT,
                    output=TEXT,
                    images=IMAGES,
                ),
            },
        ),
        closed(
            ["gradable", "format_errors"],
            gradable={"const": False},
            format_errors={"type": "array", "items": NOT_EMPTY, "minItems": 1},
        ),
    ]
}


def valid(data, form):
    """Return the data, after checking it against the schema."""
    jsonschema.Draft202012Validator(form).validate(data)
    return data
