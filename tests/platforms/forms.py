"""What platforms take, as JSON schemas of our own by the rules of their documentation.

Gradescope: its autograder specifications. PrairieLearn: external grading. Exercism: the test
runner's interface, version 3. LTI: scores of Assignment and Grade Services.
"""

import jsonschema

TEXT = {"type": "string"}
NOT_EMPTY = {"type": "string", "minLength": 1}
POINTS = {"type": "number"}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}


def closed(required, **properties):
    """An object with these properties and no others."""
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

PASSED = closed(
    ["name", "status"], name=NOT_EMPTY, status={"const": "pass"}, test_code=TEXT, output=TEXT
)
FAILED = closed(
    ["name", "status", "message"],
    name=NOT_EMPTY,
    status={"enum": ["fail", "error"]},
    message=NOT_EMPTY,
    test_code=NOT_EMPTY,
    output={"type": "string", "maxLength": 500},
)
TESTS = {"type": "array", "items": {"oneOf": [PASSED, FAILED]}}
EXERCISM = {
    "oneOf": [
        closed(
            ["version", "status", "tests"],
            version={"const": 3},
            status={"const": "pass"},
            message={"type": "null"},
            tests={"type": "array", "items": PASSED, "minItems": 1},
        ),
        closed(
            ["version", "status", "tests"],
            version={"const": 3},
            status={"const": "fail"},
            message={"type": "null"},
            tests=TESTS | {"contains": FAILED},
        ),
        closed(
            ["version", "status", "message"],
            version={"const": 3},
            status={"const": "error"},
            message={"type": "string", "minLength": 1, "maxLength": 65535},
            tests={"type": "array", "maxItems": 0},
        ),
    ]
}

SCORE = closed(
    ["userId", "timestamp", "activityProgress", "gradingProgress"],
    userId=NOT_EMPTY,
    timestamp={
        "type": "string",
        "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$",
    },
    activityProgress={"enum": ["Initialized", "Started", "InProgress", "Submitted", "Completed"]},
    gradingProgress={"enum": ["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]},
    scoreGiven={"type": "number", "minimum": 0},
    scoreMaximum={"type": "number", "exclusiveMinimum": 0},
    comment=NOT_EMPTY,
) | {"dependentRequired": {"scoreGiven": ["scoreMaximum"], "scoreMaximum": ["scoreGiven"]}}


def valid(data, form):
    """The data, which has to be of that form."""
    jsonschema.Draft202012Validator(form).validate(data)
    return data
