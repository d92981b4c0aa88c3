import Foundation
import TelemetryModels

/// A batch as it is written: everything that can be worked out before the database's lock is taken.
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
    /// Whose events they are, for those who wait for them.
    let clients: Set<String>

    init(_ events: [RelayEvent]) {
        var clients: Set<String> = []
        var rows: [Row] = []
        rows.reserveCapacity(events.count)
        // Events of a batch mostly share these texts.
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

    /// A level as it is stored.
    static func number(of level: TelemetryLogLevel) -> Int64 {
        switch level {
        case .info: 0
        case .diagnostic: 1
        }
    }
}
