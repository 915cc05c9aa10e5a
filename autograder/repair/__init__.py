"""Verified repair: small edits of a student's own code after which every check passes.

Nothing here guesses. An edit counts once the edited file has passed all checks, and what is said
of it is that: with a change in this line, they pass.
"""

LOOKING = "Looking for where it goes wrong …"
