import Foundation
import TelemetryModels
import TelemetryTransport

/// The apps and the approval of clients, as their records say.
///
/// Follows the log of changes: a call reads the records that changed since the one before.
actor KnownClients {
    private struct Client: Equatable {
        let identifier: String
        let app: String?
        let isApproved: Bool
    }

    private struct State {
        /// Up to which change the records are known; nil if they were not read.
        var position: RelayChangePosition?
        /// By the names of their records.
        private(set) var clients: [String: Client] = [:]
        /// What was asked for since ``clients`` changed.
        private var sets: [[NamePattern]: Set<String>] = [:]
        private var approved: [Data: String]?

        mutating func set(_ client: Client?, ofRecord name: String) {
            guard clients[name] != client else { return }
            clients[name] = client
            (sets, approved) = ([:], nil)
        }

        mutating func clients(of apps: [NamePattern]) -> Set<String> {
            if let set = sets[apps] { return set }
            let admitted = Set(Set(clients.values.compactMap(\.app)).filter(apps.admits))
            let set = Set(clients.values.lazy.filter { $0.app.map(admitted.contains) ?? false }.map(\.identifier))
            sets[apps] = set
            return set
        }

        mutating func approvedClients() -> [Data: String] {
            if let approved { return approved }
            let identifiers = clients.values.filter(\.isApproved).map(\.identifier)
            let all = Dictionary(identifiers.map { (NameKey.data(of: $0), $0) }) { $1 }
            approved = all
            return all
        }
    }

    private static let page = 1_000
    private let storage: any RelayRecordStorage
    private var state = State()
    /// Reads what changed, for one call at a time.
    private var reading: Task<Void, any Error>?

    init(storage: any RelayRecordStorage) { self.storage = storage }

    /// The clients with a record whose app matches one of the patterns, at the time of the call.
    func clients(of apps: [NamePattern]) async throws -> Set<String> {
        try await update()
        return state.clients(of: apps)
    }

    /// The identifiers of the approved clients by their ``NameKey``s, at the time of the call.
    func approved() async throws -> [Data: String] {
        try await update()
        return state.approvedClients()
    }

    private func update() async throws {
        // It may have begun before a change that this call has to see.
        while let reading {
            _ = await reading.result
            end(reading)
        }
        let reading = Task { try await read() }
        self.reading = reading
        defer { end(reading) }
        try await reading.value
    }

    private func end(_ task: Task<Void, any Error>) { if reading == task { reading = nil } }

    private func read() async throws {
        while let position = state.position, let changes = try await storage.changes(after: position, limit: Self.page) {
            let relevant = changes.filter { Self.isClient($0.recordType) || state.clients[$0.recordName] != nil }
            // Once each, however often it changed.
            for name in Set(relevant.map(\.recordName)) {
                state.set(try await storage.record(named: name).flatMap(Self.client), ofRecord: name)
            }
            state.position = changes.last?.position ?? position
            if changes.count < Self.page { return }
        }
        state = try await Self.everyClient(storage)
    }

    private static func isClient(_ recordType: String) -> Bool { recordType == TelemetrySchema.clientRecordType }

    private static func client(_ record: RelayRecord) -> Client? {
        guard isClient(record.record.recordType), let identifier = record.clientId else { return nil }
        return Client(identifier: identifier, app: record.app, isApproved: record.isApproved)
    }

    private static func everyClient(_ storage: any RelayRecordStorage) async throws -> State {
        var state = State()
        // Read first: a change during the reading is read again.
        state.position = try await storage.latestChange()
        let query = TelemetryRecordQuery(recordType: TelemetrySchema.clientRecordType)
        var request = RelayRecordPageRequest(limit: page)
        while true {
            let page = try await storage.page(matching: query, of: nil, request)
            for record in page.records { state.set(client(record), ofRecord: record.name) }
            guard page.hasMore else { return state }
            request.after = page.cursor
        }
    }
}

extension RelayRecord {
    /// The app of a client's record. One without an app has its version instead, which is the program's name where there is no bundle.
    var app: String? {
        let fields: [TelemetrySchema.ClientField] = [.app, .appVersion]
        return fields.lazy.compactMap { self.record[$0.rawValue]?.stringValue }.first
    }
}
