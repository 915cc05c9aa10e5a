#!/usr/bin/env bash
# Install the grader while the image is built. The root is /autograder, or the first argument.
set -eu
root="${1:-/autograder}"

newest() {
  for name in python3.13 python3.12 python3.11 python3; do
    if command -v "$name" > /dev/null &&
      "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
    then
      echo "$name"
      return
    fi
  done
}

if [ -z "$(newest)" ]; then
  apt-get update
  apt-get install -y python3 python3-venv
fi
if [ -z "$(newest)" ]; then
  apt-get install -y python3.11 python3.11-venv
fi
python="$(newest)"
if [ -z "$python" ]; then
  echo "This image has no Python 3.11 or later. Choose a newer base image." >&2
  exit 1
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet @INDEX@-r "$root/source/requirements.txt"
chmod -R go= "$root/source" # this folder contains answers
