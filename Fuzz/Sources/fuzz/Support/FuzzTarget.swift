/// A test of code that reads untrusted input.
struct FuzzTarget: Sendable {
    /// Also the name of the target's folders in `Corpus` and `Regressions`.
    let name: String
    let run: @Sendable (UnsafeBufferPointer<UInt8>) -> Void

    static let all = [
        FuzzTarget(name: "journal", run: JournalTarget.run),
        FuzzTarget(name: "lines", run: LineTarget.run),
        FuzzTarget(name: "values", run: ValueTarget.run),
        FuzzTarget(name: "timestamps", run: TimestampTarget.run),
        FuzzTarget(name: "cursors", run: CursorTarget.run),
        FuzzTarget(name: "identity", run: IdentityTarget.run),
        FuzzTarget(name: "spool", run: SpoolTarget.run),
        FuzzTarget(name: "documents", run: DocumentTarget.run),
        FuzzTarget(name: "archive", run: ArchiveTarget.run),
        FuzzTarget(name: "relay-body", run: RelayBodyTarget.run),
        FuzzTarget(name: "relay-query", run: RelayQueryTarget.run),
        FuzzTarget(name: "relay-events", run: RelayEventTarget.run),
        FuzzTarget(name: "relay-lines", run: RelayLineTarget.run),
        FuzzTarget(name: "relay-blocks", run: RelayBlockTarget.run),
        FuzzTarget(name: "store", run: StoreTarget.run),
        FuzzTarget(name: "redaction", run: RedactionTarget.run),
    ]
}
