# Shared by the checks, which source it: changes to the project's root and finds the toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
logs=$root/.build-ci/logs
# All packages as one; see .ci/build. Its debug build is in `built`, and a copy of its programs in `programs`.
workspace=$root/.build-ci/workspace
built=$workspace/.build/debug
programs=$root/.build-ci/programs
mkdir -p "$logs"
exec </dev/null
# Eight tests run beside each other (with Swift 6.3): if all began at once, limits in one would count the time of the others.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8
# The manifests treat warnings as errors; see Package.swift.
export LIVE_TELEMETRY_WARNINGS_AS_ERRORS=1
# Options of the checks' builds, which take away half of their time: no information for a debugger, modules are compiled as a whole and
# read once, and the compiler does not verify what it makes. With one thread it would write an object file into the current folder.
quick=(-debug-info-format none -Xswiftc -disable-batch-mode -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify -Xswiftc -Xfrontend -Xswiftc -sil-verify-none)
# The reports of a sanitizer name files and lines.
with_lines=("${quick[@]}" -Xswiftc -gline-tables-only)
# The packages that are built as one; Fuzz has a build of its own.
packages=(. Integrations Tools/Programs Tools Examples Examples/ShopServer Relay Benchmarks)
# The folders of all tests.
tests=(Tests Integrations/Tests Tools/Programs/Tests Tools/Tests Examples/Tests Examples/ShopServer/Tests Relay/Tests)

# The file that states the version, and what reads it from such a file's text.
version_file=Sources/TelemetryModels/LiveTelemetryVersion.swift
version_in() { sed -nE 's/.*let (major|minor|patch) = ([0-9]+)$/\2/p' | paste -sd . -; }

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
quote() { printf ' %q' "$@"; }

command -v swift >/dev/null || fail "no swift in PATH: install a Swift 6.2 toolchain or newer"
# docc and the LLVM tools are in the compiler's folder; the `swift` in PATH may be a toolchain manager's wrapper.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
[ -d "$resources/../../bin" ] && PATH="$(cd "$resources/../../bin" && pwd):$PATH"

# builds NAME…: a step's builds; see .ci/build. `.ci/run` reads this line, and begins the step when they are there.
builds() { [ -n "${CI_RUN:-}" ] || "$root/.ci/build" "$@"; }

# compiles, waits: a step that compiles something of its own, or that mostly waits, which `.ci/run` reads.
compiles() { :; }
waits() { :; }

# need COMMAND-OR-FILE PACKAGE: installs the Debian package if the command or the file is missing.
need() {
    if command -v "$1" >/dev/null || [ -f "$1" ]; then return; fi
    say "installing $2"
    local sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    # One step at a time.
    {
        ! command -v flock >/dev/null || flock 8
        $sudo apt-get update -q && $sudo apt-get install -qy "$2"
    } 8>"$root/.build-ci/installing" >"$logs/install-$2.log" 2>&1 \
        || fail "$1 is missing, and installing $2 failed; see $logs/install-$2.log"
}

# python_with NAME PACKAGE…: makes sure that .build-ci/NAME is a virtual environment with these packages of PyPI.
python_with() {
    local venv=$root/.build-ci/$1
    need python3 python3
    [ ! -e "$venv/installed" ] || return 0
    python3 -c 'import ensurepip, venv' 2>/dev/null || need /usr/share/doc/python3-venv python3-venv
    rm -rf "$venv"
    logged "$1-venv" python3 -m venv "$venv"
    logged "$1-install" limited 600 "$venv/bin/pip" install --disable-pip-version-check "${@:2}"
    touch "$venv/installed"
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
    [ $status != 124 ] || under_way <"$log"
    say "… the last lines:"
    tail -n 25 "$log"
    say "exit status $status; the whole log: $log"
    return 1
}

# under_way: prints the tests of a log that did not end: they ran, or waited for their turn.
under_way() {
    awk '/^◇ Test "/ && sub(/ started\.$/, "") { begun[$0] }
        # An argument with a NUL cuts its line off, and the next one continues it.
        /(✔|✘) Test "/ && sub(/ (with [0-9]+ test cases? )?(passed|failed) after .*/, "") { sub(/^.*(✔|✘)/, "◇"); delete begun[$0] }
        END { for (test in begun) print "under way: " test }'
}

# compiled NAME COMMAND…: the same for a build; fails for warnings, too, also those that a manifest does not treat as errors.
# SwiftPM's warning about the files of a dependency is ignored. `.ci/run` gets the number of modules, and the seconds.
compiled() {
    local began=$SECONDS
    logged "$@" || return 1
    [ -z "${CI_COMPILED:-}" ] || echo "$(sed -nE 's/^\[[0-9]+\/[0-9]+\] (Compiling|Emitting module) ([A-Za-z0-9_-]+).*/\2/p' "$logs/$1.log" |
        sort -u | wc -l) $((SECONDS - began))" >>"$CI_COMPILED"
    if grep -E '(^|[^a-z])warning: ' "$logs/$1.log" | grep -v "^warning: 'swift-distributed-tracing': found"; then fail "there are warnings; see above"; fi
}

# tested NAME SECONDS PATTERN OPTION…: runs the tests that the pattern matches, of those in `built`, with the options of their build and
# of `swift test`. On Linux their program is run itself, since SwiftPM takes ten seconds of a processor to find that there is nothing to
# build; it ignores a build's options.
tested() {
    local command=(swift test --package-path "$workspace" --scratch-path "${built%/debug}" --skip-build "${@:4}")
    [ "$(uname)" != Linux ] || command=(env NO_COLOR=1 "$built/WorkspacePackageTests.xctest" --testing-library swift-testing "${@:4}")
    # The status is passed on also where the caller handles it, and the shell does not end at the first failure.
    logged "$1" limited "$2" "${command[@]}" --filter "$3" || return 1
    (closing_lines "$1")
}

# tests_in FOLDER: the pattern for the tests of the modules with a folder in FOLDER.
tests_in() { (cd "$1" && printf '%s|' *Tests) | sed -E 's/(.*)\|$/^(\1)\\./'; }

# tested_in NAME SECONDS FOLDER OPTION…: runs the tests of the modules in FOLDER.
tested_in() {
    local options=("${@:4}")
    # The tool's tests wait for processes, at most ten seconds: beside each other, none would have its part of a busy machine.
    [ "$3" != Tools/Tests ] || options+=(--no-parallel)
    tested "$1-${3//\//-}" "$2" "$(tests_in "$3")" ${options[@]+"${options[@]}"}
}

# tested_everywhere NAME OPTION…: runs all tests, those of each folder by themselves.
tested_everywhere() {
    local folder failed=()
    for folder in "${tests[@]}"; do tested_in "$1" 5400 "$folder" "${@:2}" || failed+=("$folder"); done
    [ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}"
}

# closing_lines NAME: prints the test runner's summary.
closing_lines() { grep -E 'Test run with|Executed [0-9]+ tests' "$logs/$1.log" || fail "the test runner printed no summary"; }

# readme_command PREFIX: prints the README's command that begins with the prefix, so that the checks run the documented command.
readme_command() {
    grep -m1 -E "^$1" README.md || fail "README.md has no command that begins with \"$1\""
}

# blocks FILE [NUMBER…]: prints the Swift blocks of an article, or those with these numbers, counted from 1.
blocks() {
    awk -v wanted=" ${*:2} " '/^```swift$/ { n++; inside = wanted == "  " || index(wanted, " " n " "); next } /^```$/ { inside = 0 } inside' "$1"
}

# put FILE: writes standard input to the file if it differs, so that unchanged files are not compiled again.
put() {
    mkdir -p "$(dirname "$1")"
    cat >"$1.new"
    if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}
