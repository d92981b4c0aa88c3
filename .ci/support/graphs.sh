# Sourced after common.sh and a build. extract_graphs FOLDER: writes the symbol graphs of the project's modules.
own_graphs=()
extract_graphs() {
    local output=$1 binaries target folder module
    binaries=$(swift build --show-bin-path)
    target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple" *: *"\(.*\)".*/\1/p')
    [ "$(uname)" = Linux ] || target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\(.*\)".*/\1/p')
    for folder in Sources/*/ Mocks/TelemetryTestSupport/; do
        module=$(basename "$folder")
        # TelemetryStorage is not a product, and has no public declarations.
        [ "$module" != TelemetryStorage ] || continue
        swift symbolgraph-extract -module-name "$module" -I "$binaries/Modules" -target "$target" \
            -minimum-access-level public -output-dir "$output"
        [ -f "$output/$module.symbols.json" ] || fail "no symbol graph was written for $module"
        own_graphs+=("$output/$module.symbols.json")
    done
}
