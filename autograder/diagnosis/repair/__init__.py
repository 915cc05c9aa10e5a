"""Verified repair: small edits of a student's own code after which every check passes.

An edit counts only if the edited file passes all checks, with these inputs and with others. The
report tells the student which line to change, but does not show the edit.
"""
