import Synchronization
import TelemetryModels
import TelemetryTransport

/// A process's transport to the server: every call waits before its effect, and often after it, until the simulation resumes it.
@MainActor
final class SimulatedTransport: TelemetryTransporting {
    private let process: SimulatedProcess
    private let server: SimulatedServer
    private nonisolated let followers = Mutex<[AsyncStream<TelemetryNotification>.Continuation]>([])

    init(process: SimulatedProcess, server: SimulatedServer) {
        self.process = process
        self.server = server
    }

    func notify(_ notification: TelemetryNotification) {
        for follower in followers.withLock({ $0 }) { follower.yield(notification) }
    }

    func end() { for follower in followers.withLock({ $0 }) { follower.finish() } }

    private func call<Value>(_ what: String, _ effect: () throws -> Value) async throws -> Value {
        let fate = await process.world.gate(process, what)
        switch fate {
        case .dead: throw CancellationError()
        case .failBefore: throw process.world.refusal()
        case .go, .failAfter: break
        }
        let value = try effect()
        if fate == .failAfter { throw Self.unavailable }
        if process.world.isAnswerSlow() {
            switch await process.world.gate(process, "\(what), answer", isAnswer: true) {
            case .dead: throw CancellationError()
            default: break
            }
        }
        return value
    }

    private static var unavailable: TelemetryTransportError {
        TelemetryTransportError(code: .unavailable, message: "The simulation said so.")
    }

    func append(_ events: [TelemetryEvent]) async throws {
        try await call("append") { server.append(events, by: process.device.user) }
    }
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        throw Self.unavailable
    }
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { server.events.count(where: filter.matches) }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await call("delete events") { server.deleteEvents(filter) }
    }
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await call("save \(records.map(\.recordID.recordName))") {
            let saved = try server.save(records, policy: policy, by: process.device.user)
            process.world.checkOrder(of: saved)
            process.world.controls?.saved(saved, by: process)
            return saved
        }
    }
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        try await call("read \(id)") {
            process.world.controls?.read(id, by: process)
            return server.record(id).map { process.world.controls?.planted?.distorting($0) ?? $0 }
        }
    }
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await call("query \(query.recordType)") {
            let records = server.records(matching: query)
            // A process may apply the oldest of its pending commands without reading it again.
            if query.recordType == TelemetrySchema.commandRecordType, query.sortField != nil,
                let first = records.first(where: { $0["status"]?.stringValue == "pending" })
            {
                process.world.controls?.read(first.recordID, by: process)
            }
            return process.world.controls?.planted.map { fault in records.map { fault.distorting($0) } } ?? records
        }
    }
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await call("delete \(ids.map(\.recordName))") { server.delete(ids) }
    }
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await call("subscribe") { server.save(subscription) }
        return subscription.id
    }
    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await call("read subscription") { server.subscriptions[id] }
    }
    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await call("unsubscribe") { server.deleteSubscription(id) }
    }
    nonisolated func notifications() -> AsyncStream<TelemetryNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: TelemetryNotification.self)
        followers.withLock { $0.append(continuation) }
        return stream
    }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo {
        DebugInfo(
            containerID: "", buildType: "", environment: "", testQueryResults: 0, firstRecordID: nil, firstRecordFields: [],
            recordCount: nil, errorMessage: nil)
    }
}
