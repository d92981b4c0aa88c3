import Synchronization
import TelemetryModels
import TelemetryTransport

/// Bounds what callers may store beside events, which retention bounds: above all hosts, whose token ships inside an app and is public.
///
/// The counts are read before the save, so that saves at the same time may exceed them by one request each. The size of all is read at most
/// every two seconds; meanwhile what is saved is added to it.
final class RecordLimits: Sendable {
    /// Who saves, from the first to be refused to the last: each leaves room for the next.
    private enum Saver {
        /// A host, for a client with more than the reserved bytes.
        case largeClient
        case scopedViewer, host, viewer

        /// In quarters of the limit.
        var share: Int {
            switch self {
            case .largeClient: 4
            case .scopedViewer: 5
            case .host: 6
            case .viewer: 8
            }
        }
    }

    private struct Total {
        var bytes = 0
        /// When it was last about to be read; nil if it was not.
        var time: Duration?
    }

    private let storage: any RelayStorage
    private let limits: RelayLimits
    private let uptime: @Sendable () -> Duration
    private let total = Mutex(Total())

    init(storage: any RelayStorage, limits: RelayLimits, uptime: @escaping @Sendable () -> Duration) {
        (self.storage, self.limits, self.uptime) = (storage, limits, uptime)
    }

    /// Checks what a caller may add. A token with a scope leaves half of what a client may have for the client: otherwise it could not
    /// save what became of a command of another scenario.
    /// - Parameter hostClients: the caller's clients; nil for a viewer.
    /// - Throws: a 413 if a record is too large, or if a client's or all records would be too many or too large together.
    func check(_ records: [RelayRecord], of hostClients: Set<String>?, by caller: RelayCaller) async throws {
        let bytes = records.reduce(0) { $0 + WireRecord.json($1).count }
        if let hostClients {
            let own = try await check(records, of: hostClients, part: 1)
            if own > 0 { try await checkAll(for: own > RelayLimits.reservedBytes ? .largeClient : .host, adding: bytes) }
        } else if caller.scope == nil {
            try await checkAll(for: .viewer, adding: bytes)
        } else {
            _ = try await check(records, of: Set(records.compactMap(\.clientId)), part: 2)
            try await checkAll(for: .scopedViewer, adding: bytes)
        }
    }

    /// - Parameter part: by what the limits are divided.
    /// - Returns: the size of the largest client's records.
    private func check(_ records: [RelayRecord], of clients: Set<String>, part: Int) async throws -> Int {
        let limit = limits.recordBytes / part
        for record in records where WireRecord.json(record).count > limit {
            throw Problem.tooLarge("Such a record may have at most \(limit) bytes.")
        }
        var largest = 0
        for client in clients {
            let saved = records.filter { $0.clientId == client && Self.types.contains($0.record.recordType) }
            if !saved.isEmpty { largest = max(largest, try await check(saved, of: client, part: part)) }
        }
        return largest
    }

    private static let types = [TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType]

    private func check(_ saved: [RelayRecord], of client: String, part: Int) async throws -> Int {
        let names = saved.map(\.name)
        let others = try await storage.records.usage(of: client, types: Self.types, without: names)
        guard others.count + names.count <= limits.clientRecords / part else {
            throw Problem.tooLarge("A client may have at most \(limits.clientRecords / part) records.")
        }
        let own = saved.filter { $0.record.recordType == TelemetrySchema.clientRecordType }.map(\.name)
        if !own.isEmpty {
            let others = try await storage.records.usage(of: client, types: [TelemetrySchema.clientRecordType], without: own)
            guard others.count + own.count <= limits.ownRecords else {
                throw Problem.tooLarge("A client may have at most \(limits.ownRecords) records of itself.")
            }
        }
        let bytes = saved.reduce(0) { $0 + WireRecord.json($1).count }
        guard others.bytes + bytes <= limits.clientRecordBytes / part else {
            throw Problem.tooLarge("A client's records may have at most \(limits.clientRecordBytes / part) bytes together.")
        }
        return others.bytes + bytes
    }

    /// Checks a subscription that a caller may add.
    /// - Throws: a 413 if the subscription is too large, or if the owner's or all subscriptions would be too many.
    func check(_ subscription: TelemetrySubscription, owner: String, by caller: RelayCaller) async throws {
        let bytes = Self.size(of: subscription)
        guard caller.role == .host || caller.scope != nil else { return try await checkAll(for: .viewer, adding: bytes) }
        guard bytes <= limits.subscriptionBytes else {
            throw Problem.tooLarge("A subscription may have at most \(limits.subscriptionBytes) bytes.")
        }
        let others = try await storage.subscriptions.all(owner: owner).filter { $0.id != subscription.id }
        guard others.count < limits.clientSubscriptions else {
            throw Problem.tooLarge("A client or a token may have at most \(limits.clientSubscriptions) subscriptions.")
        }
        guard caller.role == .host else { return try await checkAll(for: .scopedViewer, adding: bytes) }
        let own = others.reduce(bytes) { $0 + Self.size(of: $1) }
        try await checkAll(for: own > RelayLimits.reservedBytes ? .largeClient : .host, adding: bytes)
    }

    private static func size(of subscription: TelemetrySubscription) -> Int {
        [subscription.id, subscription.recordType, subscription.clientId ?? ""].reduce(0) { $0 + $1.utf8.count }
    }

    /// How long the size of all records and subscriptions is not read again.
    private static let interval = Duration.seconds(2)

    private func checkAll(for saver: Saver, adding bytes: Int) async throws {
        let limit = limits.recordBytesInAll / 4 * saver.share
        let now = uptime()
        // One caller reads; the others meanwhile use what was read before.
        let reads = total.withLock { total in
            if let time = total.time, now - time < Self.interval { return false }
            total.time = now
            return true
        }
        if reads {
            let usage = try await storage.usage()
            total.withLock { $0.bytes = usage.recordBytes + usage.subscriptionBytes }
        }
        let hasRoom = total.withLock { total in
            guard total.bytes < limit else { return false }
            total.bytes += bytes
            return true
        }
        guard hasRoom else {
            throw Problem.tooLarge("All records and subscriptions have \(limit) bytes; delete some.")
        }
    }
}
