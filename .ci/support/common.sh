# What the steps share. Sourced, never run: it moves to the project's root and finds the toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
logs=$root/.build-ci/logs
mkdir -p "$logs"
exec </dev/null

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
quote() { printf ' %q' "$@"; }

command -v swift >/dev/null || fail "no swift in PATH: install a Swift 6.2 toolchain or newer"
# docc and the llvm tools lie beside the compiler, which a manager of toolchains may have wrapped.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
[ -d "$resources/../../bin" ] && PATH="$(cd "$resources/../../bin" && pwd):$PATH"

# need COMMAND-OR-FILE PACKAGE: installs a Debian package where the command or the file is missing.
need() {
    if command -v "$1" >/dev/null || [ -f "$1" ]; then return; fi
    say "installing $2"
    local sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    { $sudo apt-get update -q && $sudo apt-get install -qy "$2"; } >"$logs/install-$2.log" 2>&1 \
        || fail "$1 is missing, and installing $2 failed; see $logs/install-$2.log"
}

# limited SECONDS COMMAND…: ends a command that hangs, where the system has a way to.
limited() {
    local seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout --kill-after=10 "$seconds" "$@"; else "$@"; fi
}

# logged NAME COMMAND…: runs the command into a log of its own; shows the log's end only when the command fails.
logged() {
    local log=$logs/$1.log status=0
    shift
    say "+$(quote "$@")"
    "$@" >"$log" 2>&1 || status=$?
    [ $status = 0 ] && return
    grep -E '(error|warning):|✘|recorded an issue|Fatal error|ThreadSanitizer' "$log" | awk '!seen[$0]++' | head -60 || true
    say "… the last lines:"
    tail -n 25 "$log"
    say "exit status $status; the whole log: $log"
    return 1
}

# without_warnings NAME: a compiler that warned is a failure too, also where a manifest forgot to say so.
# What SwiftPM says of the files of a package that we depend on is not ours to mend.
without_warnings() {
    if grep -E '(^|[^a-z])warning: ' "$logs/$1.log" | grep -v "^warning: 'swift-distributed-tracing': found"; then fail "there are warnings, above"; fi
}

# closing_lines NAME: what the test runner said at its end.
closing_lines() { grep -E 'Test run with|Executed [0-9]+ tests' "$logs/$1.log" || fail "the test runner never said how it ended"; }

# readme_command PREFIX: the line of the README that begins with the prefix, so that what it tells users is what runs here.
readme_command() {
    grep -m1 -E "^$1" README.md || fail "README.md names no command that begins with \"$1\""
}
