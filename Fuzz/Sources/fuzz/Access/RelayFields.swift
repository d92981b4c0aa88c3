import TelemetryModels
@_spi(Tooling) import TelemetrySystem

@testable import RelayReaders

/// The fields of the events in a body or a page in JSON, as they were sent.
struct RelayFields {
    private let events: [WireEventFields]

    /// Reads a body that the relay accepts.
    init(_ body: [UInt8]) {
        do {
            let context = try Self.read("context", body, WireEventFields()) {
                try $0.null() ? nil : WireEventFields(&$0, context: WireEventFields(), place: "")
            }
            events = try Self.read("events", body, []) { reader in
                var events: [WireEventFields] = []
                try reader.array { events.append(try WireEventFields(&$0, context: context, place: "")) }
                return events
            }
        } catch {
            violated("an accepted body cannot be read: \(error)")
        }
    }

    /// The value of a member, or another one if it is absent or null.
    private static func read<Value>(
        _ member: String, _ body: [UInt8], _ other: Value, _ value: (inout JSONReader) throws -> Value?
    ) throws -> Value {
        var result: Value?
        try JSONReader.read(body) { reader in
            try reader.object { key, reader in if key == member { result = try value(&reader) } else { try reader.skip() } }
        }
        return result ?? other
    }

    /// Whether the events are the same, with all digits of their times.
    func areSame(as other: RelayFields) -> Bool {
        events.count == other.events.count && zip(events, other.events).allSatisfy(Self.isSame)
    }

    private static func isSame(_ left: WireEventFields, _ right: WireEventFields) -> Bool {
        left.sequence == right.sequence
            && TelemetrySchema.Field.allCases.allSatisfy { Sameness.holds(left.texts[$0], right.texts[$0]) }
            && left.attributes?.count == right.attributes?.count
            && zip(left.attributes ?? [], right.attributes ?? []).allSatisfy {
                Sameness.holds($0.name, $1.name) && Sameness.holds($0.value.value, $1.value.value)
                    && $0.value.dateText == $1.value.dateText
            }
    }
}
