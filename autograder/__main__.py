"""`python -m autograder`: the same as the console command."""

from autograder.cli import main

if __name__ == "__main__":
    main()
