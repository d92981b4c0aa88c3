# Sourced after common.sh. extract_graphs: writes the symbol graphs of the library's built modules into `graphs`.
graphs=$root/.build-docs/graphs
extract_graphs() {
    local target folder module
    rm -rf "$graphs" && mkdir -p "$graphs"
    target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple" *: *"\(.*\)".*/\1/p')
    [ "$(uname)" = Linux ] || target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\(.*\)".*/\1/p')
    for folder in Sources/*/ Mocks/TelemetryTestSupport/; do
        module=$(basename "$folder")
        # TelemetrySystem has no public declarations but those for this repository's packages.
        [ "$module" != TelemetrySystem ] || continue
        swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -target "$target" \
            -minimum-access-level public -output-dir "$graphs"
        [ -f "$graphs/$module.symbols.json" ] || fail "no symbol graph was written for $module"
    done
}
# own_graphs: prints their files, without those of extensions of other modules.
own_graphs() { find "$graphs" -name '*.symbols.json' ! -name '*@*' | sort; }
