"""Verified repair: small edits of a student's own code after which every check passes.

An edit counts only if the edited file passes all checks, also with other inputs. The report tells
the student the line, but not the edit.
"""
