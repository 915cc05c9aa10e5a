"""`python -m autograder`, which works like the command `autograder`."""

from autograder.cli import main

if __name__ == "__main__":
    main()
