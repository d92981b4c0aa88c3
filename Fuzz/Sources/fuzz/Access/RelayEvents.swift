@_spi(Tooling) import TelemetrySystem

@testable import RelayReaders

/// The events of a body that the relay accepted, in the forms in which it returns them.
struct RelayEvents {
    /// What the relay stores of an event besides its line.
    struct Key: Equatable {
        let stream: RelayEventBatch.Stream
        let identifier: NumberedIdentifier
        let kind: BlockSummary.Kind
        let time: RelayTime
    }

    let keys: [Key]
    private let stored: [RelayStoredEvent]

    /// Returns nil if the relay refuses the body of lines.
    init?(lines body: [UInt8]) { self.init { try WireEventLines.read(body, limits: .init()) } }

    /// Returns nil if the relay refuses the body in JSON.
    init?(json body: [UInt8]) { self.init { try WireEventBatch.read(body, limits: .init()) } }

    private init?(_ read: () throws -> RelayEventBatch) {
        do {
            let batch = try read()
            keys = batch.events.map {
                Key(stream: batch.runs[$0.run].stream, identifier: $0.identifier, kind: $0.kind, time: $0.time)
            }
            stored = batch.events.map {
                RelayStoredEvent(cursor: .init(rawValue: ""), header: batch.headers[$0.header], line: Array(batch.lines[$0.line]))
            }
        } catch {
            require(error is Problem || error is JSONReaderError, "the relay responds with a server error: \(error)")
            return nil
        }
    }

    /// A page of lines: each line below its header, which is not repeated.
    var lines: [UInt8] {
        var header: [UInt8] = []
        return stored.flatMap { event in
            defer { header = event.header }
            return event.header == header ? event.line : event.header + event.line
        }
    }

    /// A page in JSON.
    var json: [UInt8] {
        var events = WireEventWriter()
        var writer = JSONWriter()
        do {
            try writer.object { writer in
                writer.key("events")
                try writer.array(stored) { try events.write($0, to: &$1) }
                writer.member("cursor", "")
            }
        } catch {
            violated("stored lines cannot be written as JSON: \(String(decoding: lines, as: UTF8.self))")
        }
        return writer.bytes
    }
}
