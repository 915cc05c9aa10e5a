"""What the machines of other platforms run: the grader in a package, and its results in their form.

The first half runs here (`bundle`, and the function `package` of a platform's module), the second
there (`python -m autograder.packaged PLATFORM …`).
"""
