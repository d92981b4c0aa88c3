# Shared by the checks, which source it: changes to the project's root and finds the toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
logs=$root/.build-ci/logs
mkdir -p "$logs"
exec </dev/null
# The manifests treat warnings as errors; see Package.swift.
export LIVE_TELEMETRY_WARNINGS_AS_ERRORS=1

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
quote() { printf ' %q' "$@"; }

command -v swift >/dev/null || fail "no swift in PATH: install a Swift 6.2 toolchain or newer"
# docc and the LLVM tools are in the compiler's folder; the `swift` in PATH may be a toolchain manager's wrapper.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
[ -d "$resources/../../bin" ] && PATH="$(cd "$resources/../../bin" && pwd):$PATH"

# need COMMAND-OR-FILE PACKAGE: installs the Debian package if the command or the file is missing.
need() {
    if command -v "$1" >/dev/null || [ -f "$1" ]; then return; fi
    say "installing $2"
    local sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    { $sudo apt-get update -q && $sudo apt-get install -qy "$2"; } >"$logs/install-$2.log" 2>&1 \
        || fail "$1 is missing, and installing $2 failed; see $logs/install-$2.log"
}

# limited SECONDS COMMAND…: runs the command, and ends it after this time if the system has `timeout`.
limited() {
    local seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout --kill-after=10 "$seconds" "$@"; else "$@"; fi
}

# logged NAME COMMAND…: runs the command and writes its output to a log; prints errors and the log's end if it fails.
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

# without_warnings NAME: fails if the log contains warnings, also if a manifest does not treat them as errors.
# SwiftPM's warning about the files of a dependency is ignored.
without_warnings() {
    if grep -E '(^|[^a-z])warning: ' "$logs/$1.log" | grep -v "^warning: 'swift-distributed-tracing': found"; then fail "there are warnings; see above"; fi
}

# closing_lines NAME: prints the test runner's summary.
closing_lines() { grep -E 'Test run with|Executed [0-9]+ tests' "$logs/$1.log" || fail "the test runner printed no summary"; }

# readme_command PREFIX: prints the README's command that begins with the prefix, so that the checks run the documented command.
readme_command() {
    grep -m1 -E "^$1" README.md || fail "README.md has no command that begins with \"$1\""
}
