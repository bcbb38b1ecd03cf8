#!/bin/sh
# Starts Placet from a checkout and passes all arguments on:  sh packaging/run.sh [run "…" | sessions list | …]
# The first run prepares a private environment in .venv (and the system's libraries, where no password is needed);
# later runs start at once. PYTHON=/path/to/python3 chooses the interpreter.
set -u
called_from=$PWD
cd "$(dirname "$0")/.." || exit 1
root=$PWD
. packaging/setup.sh

# Two first runs at once would write into one environment; where there is no flock they are on their own.
exec 9<packaging/setup.sh
one_at_a_time
ensure_environment .venv ""
case "${1:-}" in
    "" | --workdir* | --session*) # the window; everything else needs no Qt
        [ -e .venv/libraries-found ] || { ensure_libraries && : >.venv/libraries-found; } ;;
esac
exec 9<&-

cd "$called_from" || exit 1
exec "$root/.venv/bin/python" -m placet "$@"
