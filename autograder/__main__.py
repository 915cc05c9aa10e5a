"""`python -m autograder`: the same as the command `autograder`."""

from autograder.cli import main

if __name__ == "__main__":
    main()
