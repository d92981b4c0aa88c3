import Foundation

/// For how long clients were not seen, within one transaction.
///
/// Times are in milliseconds of a clock of their own, which advances while a relay of the database runs: a time in which nobody could see
/// a client is no silence. A client that has not been seen yet counts as seen when it was first known to be approved.
struct ClientSilences {
    /// The time between two runs that the clock counts, in seconds.
    static let maximumGap: TimeInterval = 1

    let now: Int64
    /// When clients were seen last, by their keys.
    private let seen: [Data: Int64]

    /// Stores who was seen.
    init(_ watch: RelayClientWatch, _ clock: ArrivalTime, _ db: any StorageConnection) throws {
        now = try Self.now(clock, db)
        var seen: [Data: Int64] = [:]
        for row in try db.rows("SELECT client_key, seen FROM client_seen") { seen[try row.bytes(0)] = try row.int(1) }
        for key in Array(seen.keys) where watch.approved[key] == nil {
            seen[key] = nil
            try db.enqueue("DELETE FROM client_seen WHERE client_key = $1", [.bytes(key)])
        }
        for key in watch.approved.keys where seen[key] == nil || watch.seen.contains(key) {
            seen[key] = now
            try db.enqueue(
                "INSERT INTO client_seen VALUES ($1, $2) ON CONFLICT (client_key) DO UPDATE SET seen = excluded.seen",
                [.bytes(key), .int(now)])
        }
        self.seen = seen
    }

    /// The time now, which later calls are not before.
    static func now(_ clock: ArrivalTime, _ db: any StorageConnection) throws -> Int64 {
        let clocks = clock.next(after: try saved(db))
        try db.enqueue(
            "UPDATE client_seen_state SET arrival = $1, wall = $2 WHERE id = 1", [.double(clocks.arrival), .double(clocks.wall)])
        return ArrivalTime.milliseconds(clocks.arrival)
    }

    static func saved(_ db: any StorageConnection) throws -> ArrivalClock.Saved {
        guard let row = try db.rows("SELECT arrival, wall FROM client_seen_state WHERE id = 1").first else {
            throw RelayStorageError.corrupt("client_seen_state is empty")
        }
        return try ArrivalClock.Saved(row, 0)
    }

    /// Stores which alerts fire.
    func fire(_ watch: RelayClientWatch, _ db: any StorageConnection) throws -> [RelayFiring] {
        var rows: [Int64: StorageRow] = [:]
        for row in try db.rows("SELECT revision, since, fired FROM alert") { rows[try row.int(0)] = row }
        return try watch.alerts.compactMap { alert in
            // It may have been removed since.
            guard let row = rows[alert.revision], let silence = alert.silence else { return nil }
            let silent = try keys(silence, since: row.int(1), fired: row.optionalInt(2), quiet: alert.quiet)
                .compactMap { key, time in watch.approved[key].map { (client: $0, time: time) } }
                .filter { watch.concerns(alert, $0.client) }
                .sorted { ($1.time, $0.client) < ($0.time, $1.client) }
                .map(\.client)
            guard !silent.isEmpty else { return nil }
            try db.enqueue("UPDATE alert SET fired = $1 WHERE revision = $2", [.int(now), .int(alert.revision)])
            return RelayFiring(
                alert: alert, count: silent.count, clients: Array(silent.prefix(RelayFiring.maximumClients)))
        }
    }

    /// The keys of the clients for which an alert would fire, and when they were seen.
    ///
    /// An alert fires once for each silence: for those that became long enough after it fired the last time.
    /// - Parameter since: from when on silences count.
    private func keys(_ silence: RelayAlert.Silence, since: Int64, fired: Int64?, quiet: Int) -> [Data: Int64] {
        if let fired, now - fired < Int64(quiet) * 1_000 { return [:] }
        // Another relay may have seen a client and not stored it yet.
        let delay = Int64(silence.interval + 1) * 1_000
        return seen.filter { _, time in
            let end = max(time + delay, since) + Int64(silence.seconds) * 1_000
            return end <= now && end > fired ?? .min
        }
    }
}
