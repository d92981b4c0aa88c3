import TelemetryModels

/// Parses the body of a POST request with events as lines, and reads accepted events back from the relay's pages.
enum RelayLineTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let body = LineAccess.sealed(Array(bytes))
        guard let events = RelayEvents(lines: body) else { return }
        let read = RelayPages.readBack(events)
        let sent = LineAccess.events(in: body)
        // The library leaves out lines that it cannot read.
        if sent.count == read.count { RelayPages.compare(read, sent, "the library reads the sent lines differently") }
        guard let written = RelayEvents(lines: spaced(body)) else { violated("lines are refused with spaces") }
        require(written.keys == events.keys, "a line is read differently key by key: \(RelayPages.show(events))")
        RelayPages.compare(read, RelayPages.readBack(written), "a line is written differently than it was sent")
    }

    /// The body with a space after the first brace of each line: the relay does not keep such a line, but reads it key by key.
    private static func spaced(_ body: [UInt8]) -> [UInt8] {
        let lines = body.split(separator: 0x0A, omittingEmptySubsequences: false)
        return Array(lines.map { $0.first == 0x7B ? [0x7B, 0x20] + $0.dropFirst() : $0 }.joined(separator: [0x0A]))
    }
}
