import Foundation

/// A batch prepared for writing: computes everything that does not need the database's lock.
struct EventBatch: Sendable {
    /// Consecutive events of one client and session, which are stored as one block.
    struct Run: Sendable {
        let client: Data
        let session: Data
        fileprivate(set) var events: [Event] = []
        fileprivate(set) var text: [UInt8] = []
    }

    struct Event: Sendable {
        let identifier: EventIdentifier
        let kind: BlockSummary.Kind
        let time: RelayTime
        /// The bytes of its text.
        let length: Int
    }

    private(set) var runs: [Run] = []
    let count: Int
    /// The clients of the events, whose readers are notified.
    private(set) var clients: Set<String> = []

    init(_ events: [RelayEvent]) {
        count = events.count
        var keys = KeyCache()
        var run = Run(client: NameKey.none, session: NameKey.none)
        for event in events {
            let (client, session) = (event.clientId.map { keys.key(of: $0) } ?? NameKey.none, keys.key(of: event.sessionId))
            if let clientId = event.clientId, !clients.contains(clientId) { clients.insert(clientId) }
            let text = event.json.utf8
            let isSame = run.client == client && run.session == session
            if !isSame || run.text.count + text.count > BlockMerging.length || run.events.count >= BlockMerging.count {
                if !run.events.isEmpty { runs.append(run) }
                run = Run(client: client, session: session)
            }
            run.text += text
            let kind = BlockSummary.Kind(
                level: event.level.storedNumber, name: keys.key(of: event.name),
                scenario: event.scenario.map { keys.key(of: $0) })
            run.events.append(
                Event(identifier: EventIdentifier(event.eventId), kind: kind, time: event.time, length: text.count))
        }
        if !run.events.isEmpty { runs.append(run) }
    }

    /// The keys of the strings of one batch, which repeat.
    private struct KeyCache {
        private var keys: [String: Data] = [:]

        mutating func key(of text: String) -> Data {
            if let key = keys[text] { return key }
            let key = NameKey.data(of: text)
            keys[text] = key
            return key
        }
    }
}
