"""Failures without a name become misconceptions: gathered, named by a person, shown to hold."""
