"""Old module of the importers' types, kept for one more version; see `classroom.downloads`."""

import warnings

from autograder.classroom.downloads import Importer, Listing, Owner, Piece

__all__ = ["Importer", "Listing", "Owner", "Piece"]

warnings.warn(
    "autograder.platforms.model is now autograder.classroom.downloads",
    DeprecationWarning,
    stacklevel=2,
)
