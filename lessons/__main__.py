"""`python -m lessons` draws stale figures; `--check` only lists them."""

import sys

from lessons.book import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
