"""nbgrader's metadata of cells, checked once where a class has the same in every notebook."""

import json
from typing import Any

from nbgrader.nbgraderformat import MetadataValidator, ValidationError
from nbgrader.preprocessors import CheckCellMetadata

MOST_MARKS = 10_000  # that are remembered


class KnownMarks(MetadataValidator):
    """nbgrader's validator of its metadata, which looks at equal marks of cells only once.

    A class has the same few marks in every notebook; nbgrader reads its schemas, and checks them
    too, for each.
    """

    def __init__(self) -> None:
        super().__init__()
        self._valid: set[str] = set()

    def validate_cell(self, cell: Any) -> None:
        """As nbgrader's; what it says depends on a cell's mark and type alone."""
        mark = cell.metadata.get("nbgrader")
        if mark is None:
            return
        known = json.dumps([cell.cell_type, mark], sort_keys=True)
        if known not in self._valid:
            super().validate_cell(cell)
            if len(self._valid) < MOST_MARKS:
                self._valid.add(known)


class CheckMarks(CheckCellMetadata):
    """nbgrader's `CheckCellMetadata`, whose validator is made once."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validator = KnownMarks()

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        try:
            self.validator.validate_nb(nb)
        except ValidationError:
            super().preprocess(nb, resources)  # says what is wrong in nbgrader's words
        return nb, resources
