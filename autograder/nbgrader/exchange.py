"""Collect submissions from nbgrader's exchange, without following links."""

import tempfile
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

from autograder.nbgrader.clean_copy import copy_regular_files


class CollectPlainFiles(ExchangeCollect):
    """`nbgrader collect` for regular files only. `nbgrader_config.py` names this class.

    Students can change their files in the exchange. nbgrader's `collect` follows links with the
    instructor's rights. So a student could hand in a link to the gradebook, and get the gradebook
    back with the feedback.
    """

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        limits = 1000 * self.coursedir.max_file_size, 1000 * self.coursedir.max_dir_size
        with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
            clean = Path(scratch, "clean")
            refused, left_out = copy_regular_files(Path(src), clean, *limits)
            for name in [*(f"{notebook}.ipynb" for notebook in refused), *left_out]:
                self.log.warning("Left out of %s: %s", Path(src).name, name)
            super().do_copy(str(clean), dest, log)
