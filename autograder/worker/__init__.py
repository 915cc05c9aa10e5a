"""The process that runs a student's file. It knows no answer.

Nothing here may import another part of the engine: in that process this package stands alone, under
the name `autograder_worker`. The judge imports from it the values that cross to it, and how they
are sent.
"""
