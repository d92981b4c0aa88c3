import TelemetryModels

@testable import TelemetryRelay

/// An event with any text as its line.
struct SampleEvent: Sendable {
    var clientId: String?
    var sessionId: String
    var eventId: String
    var name: String
    var time: RelayTime
    var scenario: String?
    var level = TelemetryLogLevel.info
    var header = ""
    var text: String
}

extension RelayEventBatch {
    init(_ events: [SampleEvent]) {
        self.init()
        for event in events {
            begin(header: Array(event.header.utf8), client: event.clientId, session: NameKey.data(of: event.sessionId))
            let kind = BlockSummary.Kind(
                level: event.level.storedNumber, name: NameKey.data(of: event.name),
                scenario: event.scenario.map(NameKey.data))
            Array(event.text.utf8).withUnsafeBufferPointer {
                append($0, identifier: NumberedIdentifier(event.eventId), kind: kind, time: event.time)
            }
        }
    }
}

extension RelayEventStorage {
    func append(_ events: [SampleEvent]) async throws -> RelayAppendResult { try await append(RelayEventBatch(events)) }
}

extension RelayStoredEvent {
    var text: String { String(decoding: line, as: UTF8.self) }
}
