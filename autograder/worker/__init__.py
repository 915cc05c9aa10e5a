"""The process that runs a student's file. It knows no answer.

Nothing here may import another part of the kit: in that process this package stands alone, under
the name `autograder_worker`. The judge imports `codec` and `messages` from it, and no more.
"""
