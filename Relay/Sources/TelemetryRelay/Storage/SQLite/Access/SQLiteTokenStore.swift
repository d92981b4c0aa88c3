import Foundation
import GRDB

/// Stores hashes of tokens in an SQLite table.
final class SQLiteTokenStore: RelayTokenStorage {
    private static let columns = "name, role, created, expires, last_used, revoked"
    private let database: RelayDatabase
    let announcer: ChangeAnnouncer
    private let uses = TokenUses()

    /// - Parameter changes: the stored number of token creations and revocations.
    init(database: RelayDatabase, changes: Int64) {
        self.database = database
        announcer = ChangeAnnouncer(next: changes)
    }

    func createToken(_ token: RelayToken, hash: Data) async throws {
        try await database.write { db in
            let key = NameKey.data(of: token.name)
            guard try Int.fetchOne(db, sql: "SELECT 1 FROM token WHERE name_key = ?", arguments: [key]) == nil else {
                throw RelayStorageError.nameInUse(token.name)
            }
            try db.execute(
                sql: """
                    INSERT INTO token (name_key, name, hash, role, created, expires, last_used, revoked)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    key, Data(token.name.utf8), hash, token.role.rawValue, Self.seconds(token.created),
                    token.expires.map(Self.seconds), token.lastUsed.map(Self.seconds), token.revoked.map(Self.seconds),
                ])
            try Self.countChange(db)
        }
        announcer.hint(nil)
    }

    func token(hash: Data) async throws -> RelayToken? {
        try await database.read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT \(Self.columns) FROM token WHERE hash = ?"), arguments: [hash]
            ).map(Self.token)
        }.map(uses.applied)
    }

    func tokens() async throws -> [RelayToken] {
        try await database.read { try Row.fetchAll($0, sql: "SELECT \(Self.columns) FROM token").map(Self.token) }
            .map(uses.applied).sorted { $0.name < $1.name }
    }

    func revokeToken(named name: String, at date: Date) async throws -> Bool {
        let isThere = try await database.write { db in
            let key = NameKey.data(of: name)
            guard try Int.fetchOne(db, sql: "SELECT 1 FROM token WHERE name_key = ?", arguments: [key]) != nil else {
                return false
            }
            try db.execute(
                sql: "UPDATE token SET revoked = ? WHERE name_key = ? AND revoked IS NULL",
                arguments: [Self.seconds(date), key])
            try Self.countChange(db)
            return true
        }
        if isThere { announcer.hint(nil) }
        return isThere
    }

    func noteUse(ofTokenNamed name: String, at date: Date) { uses.note(name, at: date) }

    func hasTokens() async throws -> Bool {
        try await uses.hasTokens {
            try await database.read { try Int.fetchOne($0, sql: "SELECT 1 FROM token LIMIT 1") != nil }
        }
    }

    func tokenHints() -> AsyncStream<Void> { announcer.hints(of: nil) }

    /// Writes the last uses of tokens. After a failure, the next call writes them again.
    func writeUses() async throws {
        try await uses.write { uses in
            try await database.write { db in
                for (name, date) in uses {
                    try db.execute(
                        sql: "UPDATE token SET last_used = MAX(COALESCE(last_used, ?1), ?1) WHERE name_key = ?2",
                        arguments: [Self.seconds(date), NameKey.data(of: name)])
                }
            }
        }
    }

    private static func countChange(_ db: Database) throws {
        try db.execute(sql: "UPDATE relay_state SET token_changes = token_changes + 1 WHERE id = 1")
    }

    private static func seconds(_ date: Date) -> Double { date.timeIntervalSinceReferenceDate }

    private static func token(_ row: Row) throws -> RelayToken {
        guard let role = RelayRole(rawValue: try row.decode(String.self, atIndex: 1)) else {
            throw RelayStorageError.corrupt("a token has an unknown role")
        }
        func date(_ index: Int) throws -> Date? {
            try row.decode(Double?.self, atIndex: index).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        return RelayToken(
            name: String(decoding: try row.decode(Data.self, atIndex: 0), as: UTF8.self), role: role,
            created: try date(2) ?? .distantPast, expires: try date(3), lastUsed: try date(4), revoked: try date(5))
    }
}
