import Foundation
import TelemetryModels

/// A batch prepared for writing: computes everything that does not need the database's lock.
struct EventBatch: Sendable {
    struct Row: Sendable {
        let client: Data
        let session: Data
        let event: Data
        let name: Data
        let scenario: Data?
        let time: RelayTime
        let level: Int64
        let body: Data
    }

    let rows: [Row]
    /// The clients of the events, whose readers are notified.
    let clients: Set<String>

    init(_ events: [RelayEvent]) {
        var clients: Set<String> = []
        var rows: [Row] = []
        rows.reserveCapacity(events.count)
        // Events of a batch usually share client and session.
        var keys: (client: (String?, Data), session: (String, Data)) = ((nil, NameKey.none), ("", NameKey.none))
        for event in events {
            if event.clientId != keys.client.0 {
                keys.client = (event.clientId, event.clientId.map(NameKey.data) ?? NameKey.none)
                if let clientId = event.clientId { clients.insert(clientId) }
            }
            if event.sessionId != keys.session.0 { keys.session = (event.sessionId, NameKey.data(of: event.sessionId)) }
            rows.append(
                Row(
                    client: keys.client.1, session: keys.session.1, event: NameKey.data(of: event.eventId),
                    name: NameKey.data(of: event.name), scenario: event.scenario.map(NameKey.data), time: event.time,
                    level: Self.number(of: event.level), body: Data(event.json.utf8)))
        }
        self.rows = rows
        self.clients = clients
    }

    /// The stored form of a level.
    static func number(of level: TelemetryLogLevel) -> Int64 {
        switch level {
        case .info: 0
        case .diagnostic: 1
        }
    }
}
