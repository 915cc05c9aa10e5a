#!/bin/sh
# Grade one submission. The first argument is the exercise. The root is /grade, or the second argument.
set -eu
root="${2:-/grade}"
export PYTHONPATH="$root/serverFilesCourse/autograder/engine" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
exec python3 -m autograder.platforms prairielearn "$root" "$1"
