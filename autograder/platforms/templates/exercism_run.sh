#!/bin/sh
# Tests a solution: the exercise's slug, the solution's folder, the folder for results.json.
set -eu
here="$(cd "$(dirname "$0")/.." && pwd)"
export PYTHONPATH="$here/engine" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
exec python3 -m autograder.platforms exercism "$here" "$1" "$2" "$3"
