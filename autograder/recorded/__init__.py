"""Recorded answers: looked up by what was asked, in place of the reference that gave them."""
