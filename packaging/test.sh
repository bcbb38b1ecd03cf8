#!/bin/sh
# The whole check, as CI runs it:  sh packaging/test.sh [--fast] [pytest arguments]
# Format, lint, types, import contracts, then the tests; every step runs, and one that failed fails the run.
# --fast leaves out all but the unit and kernel tests. The last line printed is pytest's closing line.
set -u
cd "$(dirname "$0")/.." || exit 1
. packaging/setup.sh

paths=""
if [ "${1:-}" = --fast ]; then
    shift
    for folder in tests/unit tests/kernel; do [ -d "$folder" ] && paths="$paths $folder"; done
fi

exec 9<packaging/setup.sh
one_at_a_time
ensure_environment .venv-test dev
if [ ! -e .venv-test/libraries-found ]; then
    ensure_libraries && : >.venv-test/libraries-found
    programs=$(missing_programs)
    # shellcheck disable=SC2086
    [ -z "$programs" ] || install_packages $programs || say "some tests will do without: $programs"
fi
exec 9<&-

bin=$PWD/.venv-test/bin
PATH=$bin:$PATH
export PATH
export QT_QPA_PLATFORM=offscreen
status=0
step() {
    printf '== %s\n' "$*"
    "$@" </dev/null || { status=1; printf '== FAILED: %s\n' "$*"; }
}
step ruff format --check .
step ruff check .
step mypy
step lint-imports
[ "$status" -eq 0 ] || echo '== a step above failed; the tests run all the same'

# shellcheck disable=SC2086  # words are meant to be split
python -m pytest $paths "$@" </dev/null
tests=$?
[ "$tests" -eq 0 ] || status=$tests
exit "$status"
