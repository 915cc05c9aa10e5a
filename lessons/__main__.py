"""`python -m lessons` draws what is out of date; `--check` only says what is."""

import sys

from lessons.book import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
