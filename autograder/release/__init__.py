"""What an instructor hands out: a course without an answer in it, and answers that were recorded.

A released check is the course's own, but whatever it asks of the reference is a stand-in, which
looks the answer up by its arguments. What nobody asked when the records were made is not told.
"""
