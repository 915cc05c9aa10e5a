#!/usr/bin/env bash
# Grade one submission. Only instructors see the output. The root is /autograder, or the first argument.
set -eu
root="${1:-/autograder}"
cd "$root"
export PYTHONPATH="$root/source/engine" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
exec "$root/venv/bin/python" -m autograder.platforms gradescope "$root"
