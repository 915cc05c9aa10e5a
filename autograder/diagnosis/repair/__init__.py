"""Verified repair: small edits of a student's own code after which every check passes."""
