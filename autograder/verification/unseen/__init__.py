"""What the report says of mistakes that nobody chose: mutants of right answers.

The line that was changed is known, and so are the answers to calls that no examination asks for:
both are oracles that the diagnosis does not have.
"""
