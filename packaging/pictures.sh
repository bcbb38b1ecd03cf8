#!/bin/sh
# Make docs/pictures anew: the real program under Xvfb. Needs what packaging/test.sh installs.
set -eu
cd "$(dirname "$0")/.."
exec "${PLACET_PYTHON:-.venv-test/bin/python}" packaging/pictures.py
