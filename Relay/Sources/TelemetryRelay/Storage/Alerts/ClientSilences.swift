import Foundation

/// For how long clients were not seen, within one transaction.
///
/// Times are in milliseconds of a clock of their own: it advances while relays of the database check, at most by ``RelayClientWatch/gap``
/// between two checks. A longer time without a check, in which clients may have been seen, counts no more than that. A client
/// that has not been seen yet counts as seen when it was first known to be approved.
struct ClientSilences {
    /// The clock, and the wall clock at its last change, in seconds since the reference date.
    struct Clock: Sendable, Equatable {
        let time: Int64
        let wall: TimeInterval

        static func fetch(_ db: any StorageConnection) throws -> Clock {
            guard let row = try db.rows("SELECT time, wall FROM client_seen_state WHERE id = 1").first else {
                throw RelayStorageError.corrupt("client_seen_state is empty")
            }
            let clock = Clock(time: try row.int(0), wall: try row.double(1))
            guard clock.time >= 0, (-1e11...1e11).contains(clock.wall) else {
                throw RelayStorageError.corrupt("the clock of client_seen_state cannot be read")
            }
            return clock
        }

        /// The clock at a later wall time. That of another relay may be somewhat behind.
        /// - Parameter gap: in seconds.
        func advanced(to wall: TimeInterval, gap: TimeInterval) -> Clock {
            let passed = wall - self.wall
            if -gap...0 ~= passed { return self }
            return Clock(time: time + Int64(min(max(passed, 0), gap) * 1_000), wall: wall)
        }
    }

    let now: Int64
    /// When clients were seen last, by their keys.
    private let seen: [Data: Int64]

    /// Stores who was seen.
    init(_ watch: RelayClientWatch, at date: Date, _ db: any StorageConnection) throws {
        now = try Self.advanceClock(to: date, gap: watch.gap, db)
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

    /// Sets the clock to a wall time.
    /// - Returns: the clock's time.
    static func advanceClock(to date: Date, gap: TimeInterval, _ db: any StorageConnection) throws -> Int64 {
        let clock = try Clock.fetch(db).advanced(to: date.timeIntervalSinceReferenceDate, gap: gap)
        try db.enqueue("UPDATE client_seen_state SET time = $1, wall = $2 WHERE id = 1", [.int(clock.time), .double(clock.wall)])
        return clock.time
    }

    /// Stores which alerts fire, and up to when they were checked.
    func fire(_ watch: RelayClientWatch, _ db: any StorageConnection) throws -> [RelayFiring] {
        var rows: [Int64: StorageRow] = [:]
        for row in try db.rows("SELECT revision, since, recent, fired FROM alert") { rows[try row.int(0)] = row }
        return try watch.alerts.compactMap { alert in
            // It may have been removed since.
            guard let row = rows[alert.revision], let silence = alert.silence else { return nil }
            let fired = try row.optionalInt(3)
            if let fired, now - fired < Int64(alert.quiet) * 1_000 { return nil }
            // One that cannot be read begins anew.
            let checked = (try? AlertWindow(stored: row.bytes(2), fired: fired))?.recent.last
            let ended = try ends(silence, since: row.int(1), checked: checked, delay: watch.delay)
            guard !ended.isEmpty else { return nil }
            let silent = ended.compactMap { key, time in watch.approved[key].map { (client: $0, time: time) } }
                .filter { watch.concerns(alert, $0.client) }
                .sorted { ($1.time, $0.client) < ($0.time, $1.client) }
                .map(\.client)
            let window = AlertWindow(recent: [now], fired: silent.isEmpty ? fired : now)
            try db.enqueue(
                "UPDATE alert SET recent = $1, fired = $2 WHERE revision = $3",
                [.bytes(window.stored), window.fired.map { .int($0) } ?? .null, .int(alert.revision)])
            guard !silent.isEmpty else { return nil }
            return RelayFiring(alert: alert, count: silent.count, clients: RelayFiring.named(silent))
        }
    }

    /// The keys of all clients whose silence became long enough after the last check, and when they were seen.
    /// - Parameters:
    ///   - since: from when on silences count.
    ///   - delay: after what time a relay has stored whom it saw, in seconds.
    private func ends(_ silence: RelayAlert.Silence, since: Int64, checked: Int64?, delay: TimeInterval) -> [Data: Int64] {
        seen.filter { _, time in
            let end = max(time + Int64(delay * 1_000), since) + Int64(silence.seconds) * 1_000
            return end <= now && end > checked ?? .min
        }
    }
}
