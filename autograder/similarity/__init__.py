"""How like submissions are: a list for a person to judge, and never a verdict."""
