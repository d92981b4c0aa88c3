public import Foundation
import GRDB
public import TelemetryModels

/// An event store on SQLite: one table, one transaction per batch, unique event identifiers.
public struct SQLitePeer: Sendable {
    /// The value of SQLite's `synchronous` setting.
    public enum Synchronous: String, Sendable { case normal = "NORMAL", full = "FULL" }

    private let pool: DatabasePool

    /// Opens or creates a database with a write-ahead log.
    public init(directory: URL, synchronous: Synchronous) throws {
        pool = try DatabasePool(path: directory.appending(path: "events.sqlite").path)
        // Set after opening, because GRDB sets NORMAL when it enables the write-ahead log. There is one writing connection.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)") }
        try pool.write { try $0.execute(sql: Self.schema) }
    }

    public func append(_ events: ArraySlice<TelemetryEvent>) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: Self.insertion)
            for event in events {
                try statement.execute(arguments: [
                    event.eventId, event.clientId, event.sessionId, Int64(event.sequence), event.name,
                    event.timestamp.timeIntervalSince1970, event.device.deviceType, event.device.deviceName,
                    event.device.deviceModel, event.device.osVersion, event.device.appVersion, event.threadId,
                    event.property1, event.scenario, event.level.rawValue,
                ])
            }
        }
    }

    /// Returns the events after a row, and the row from which to continue.
    public func events(after row: Int64, limit: Int) throws -> (events: [TelemetryEvent], row: Int64) {
        try pool.read { database in
            var last = row
            var events: [TelemetryEvent] = []
            events.reserveCapacity(limit)
            let statement = try database.cachedStatement(sql: Self.selection)
            let cursor = try Row.fetchCursor(statement, arguments: [row, limit])
            while let row = try cursor.next() {
                last = row[0]
                events.append(Self.event(row))
            }
            return (events, last)
        }
    }

    private static func event(_ row: Row) -> TelemetryEvent {
        let sequence: Int64 = row[4]
        let time: Double = row[6]
        let level: String = row[15]
        return TelemetryEvent(
            eventId: row[1], clientId: row[2], sessionId: row[3], sequence: UInt64(sequence), name: row[5],
            timestamp: Date(timeIntervalSince1970: time),
            device: TelemetryDeviceInfo(
                deviceType: row[7], deviceName: row[8], deviceModel: row[9], osVersion: row[10], appVersion: row[11]),
            threadId: row[12], property1: row[13], scenario: row[14], level: TelemetryLogLevel(rawValue: level) ?? .info)
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS events (
            id INTEGER PRIMARY KEY, eventId TEXT NOT NULL UNIQUE, clientId TEXT, sessionId TEXT NOT NULL,
            sequence INTEGER NOT NULL, name TEXT NOT NULL, timestamp REAL NOT NULL, deviceType TEXT, deviceName TEXT,
            deviceModel TEXT, osVersion TEXT, appVersion TEXT, threadId TEXT, property1 TEXT, scenario TEXT, level TEXT)
        """
    private static let insertion = """
        INSERT OR IGNORE INTO events (
            eventId, clientId, sessionId, sequence, name, timestamp, deviceType, deviceName, deviceModel, osVersion,
            appVersion, threadId, property1, scenario, level) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let selection = "SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?"
}
