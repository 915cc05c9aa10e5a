"""Verified repair: small edits of a student's own code after which every check passes.

An edit counts once the edited file has passed all checks, also with other inputs. The report says
only that: with a change in this line, they pass.
"""
