import Synchronization
import TelemetryModels
import TelemetryTransport

/// The apps of clients, as their records say, for tokens that are limited to some apps.
///
/// Follows the log of changes: a call reads the records that changed since the one before.
final class ClientApps: Sendable {
    private struct Client {
        let identifier: String
        let app: String
    }

    private struct State {
        /// Up to which change the records are known; nil if they were not read.
        var position: RelayChangePosition?
        /// By the names of their records.
        var clients: [String: Client] = [:]

        mutating func add(_ record: RelayRecord?, named name: String) {
            clients[name] = record.flatMap { record in
                guard let identifier = record.clientId, let app = record.app else { return nil }
                return Client(identifier: identifier, app: app)
            }
        }

        func clients(of apps: [NamePattern]) -> Set<String> {
            let admitted = Set(Set(clients.values.map(\.app)).filter(apps.admits))
            return Set(clients.values.lazy.filter { admitted.contains($0.app) }.map(\.identifier))
        }
    }

    private static let page = 1_000
    private let storage: any RelayRecordStorage
    private let state = Mutex(State())

    init(storage: any RelayRecordStorage) { self.storage = storage }

    /// The clients with a record whose app matches one of the patterns, at the time of the call.
    func clients(of apps: [NamePattern]) async throws -> Set<String> {
        while true {
            let known = state.withLock(\.self)
            var next = known
            guard let changes = try await changes(after: known.position) else {
                next = try await everyClient()
                replace(known, by: next)
                continue
            }
            for change in changes where Self.isClient(change.recordType) || known.clients[change.recordName] != nil {
                let record = try await storage.record(named: change.recordName)
                next.add(record.flatMap { Self.isClient($0.record.recordType) ? $0 : nil }, named: change.recordName)
            }
            next.position = changes.last?.position ?? known.position
            replace(known, by: next)
            if changes.count < Self.page { return next.clients(of: apps) }
        }
    }

    private func changes(after position: RelayChangePosition?) async throws -> [RelayRecordChange]? {
        guard let position else { return nil }
        return try await storage.changes(after: position, limit: Self.page)
    }

    private static func isClient(_ recordType: String) -> Bool { recordType == TelemetrySchema.clientRecordType }

    /// Unless another call has read more since.
    private func replace(_ known: State, by next: State) {
        state.withLock { if $0.position == known.position { $0 = next } }
    }

    private func everyClient() async throws -> State {
        var state = State()
        // Read first: a change during the reading is read again.
        state.position = try await storage.latestChange()
        let query = TelemetryRecordQuery(recordType: TelemetrySchema.clientRecordType)
        var request = RelayRecordPageRequest(limit: Self.page)
        while true {
            let page = try await storage.page(matching: query, of: nil, request)
            for record in page.records { state.add(record, named: record.name) }
            guard page.hasMore else { return state }
            request.after = page.cursor
        }
    }
}

extension RelayRecord {
    /// The app of a client's record; that of one that does not say it is the version, which is the program's name where it has no bundle.
    var app: String? {
        let fields: [TelemetrySchema.ClientField] = [.app, .appVersion]
        return fields.lazy.compactMap { self.record[$0.rawValue]?.stringValue }.first
    }
}
