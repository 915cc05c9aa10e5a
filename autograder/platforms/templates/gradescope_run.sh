#!/usr/bin/env bash
# Grades one submission. What it prints is for instructors. The root is /autograder, or the argument.
set -eu
root="${1:-/autograder}"
cd "$root"
export PYTHONPATH="$root/source/engine" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
exec "$root/venv/bin/python" -m autograder.platforms gradescope "$root"
