#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Stores hashes of tokens.
final class PostgreSQLTokenStore: RelayTokenStorage {
    private static let columns = "name, role, created, expires, last_used, revoked"
    private let database: PostgreSQLDatabase
    private let notify: @Sendable () -> Void
    let announcer: ChangeAnnouncer
    private let uses = TokenUses()

    /// - Parameters:
    ///   - changes: the stored number of token creations and revocations.
    ///   - notify: called after each of them.
    init(_ database: PostgreSQLDatabase, changes: Int64, notify: @escaping @Sendable () -> Void) {
        self.database = database
        self.notify = notify
        announcer = ChangeAnnouncer(next: changes)
    }

    func createToken(_ token: RelayToken, hash: Data) async throws {
        func seconds(_ date: Date?) -> PostgreSQLValue { date.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null }
        let isCreated =
            try await database.write(
                """
                WITH created AS (
                    INSERT INTO token (name_key, name, hash, role, created, expires, last_used, revoked)
                    VALUES ($1::bytea, $2::bytea, $3::bytea, $4::text, $5::float8, $6::float8, $7::float8, $8::float8)
                    ON CONFLICT (name_key) DO NOTHING RETURNING name
                )
                UPDATE relay_state SET token_changes = token_changes + 1 WHERE EXISTS (SELECT FROM created)
                """,
                [
                    Self.key(token.name), .bytes(Array(token.name.utf8)), .bytes(Array(hash)), .text(token.role.rawValue),
                    seconds(token.created), seconds(token.expires), seconds(token.lastUsed), seconds(token.revoked),
                ]
            ).affected == 1
        guard isCreated else { throw RelayStorageError.nameInUse(token.name) }
        announceChange()
    }

    func token(hash: Data) async throws -> RelayToken? {
        try await database.read { connection in
            try await connection.execute("SELECT \(Self.columns) FROM token WHERE hash = $1::bytea", [.bytes(Array(hash))]).rows
                .first.map(Self.token)
        }.map(uses.applied)
    }

    func tokens() async throws -> [RelayToken] {
        try await database.read { try await $0.execute("SELECT \(Self.columns) FROM token").rows.map(Self.token) }
            .map(uses.applied).sorted { $0.name < $1.name }
    }

    func revokeToken(named name: String, at date: Date) async throws -> Bool {
        let isThere =
            try await database.write(
                """
                WITH revoked AS (
                    UPDATE token SET revoked = COALESCE(revoked, $2::float8) WHERE name_key = $1::bytea RETURNING name
                )
                UPDATE relay_state SET token_changes = token_changes + 1 WHERE EXISTS (SELECT FROM revoked)
                """, [Self.key(name), .double(date.timeIntervalSinceReferenceDate)]
            ).affected == 1
        if isThere { announceChange() }
        return isThere
    }

    func noteUse(ofTokenNamed name: String, at date: Date) { uses.note(name, at: date) }

    func hasTokens() async throws -> Bool {
        try await uses.hasTokens {
            try await database.read { try await $0.execute("SELECT EXISTS (SELECT FROM token)").row.bool(0) }
        }
    }

    func tokenHints() -> AsyncStream<Void> { announcer.hints(of: nil) }

    /// Writes the last uses of tokens. After a failure, the next call writes them again.
    func writeUses() async throws {
        try await uses.write { uses in
            // In order, so that two relays do not wait for each other.
            let sorted = uses.map { (Array(NameKey.data(of: $0.key)), $0.value.timeIntervalSinceReferenceDate) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
            try await database.write(
                """
                UPDATE token SET last_used = GREATEST(last_used, date)
                FROM unnest($1::bytea[], $2::float8[]) AS uses (key, date) WHERE name_key = key
                """, [.byteStrings(sorted.map(\.0)), .doubles(sorted.map(\.1))])
        }
    }

    private func announceChange() {
        announcer.hint(nil)
        notify()
    }

    private static func key(_ name: String) -> PostgreSQLValue { .bytes(Array(NameKey.data(of: name))) }

    private static func token(_ row: PostgreSQLRow) throws -> RelayToken {
        guard let role = RelayRole(rawValue: try row.text(1)) else {
            throw RelayStorageError.corrupt("a token has an unknown role")
        }
        func date(_ index: Int) throws -> Date? {
            try row.optionalDouble(index).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        return RelayToken(
            name: try row.text(0), role: role, created: try date(2) ?? .distantPast, expires: try date(3), lastUsed: try date(4),
            revoked: try date(5))
    }
}
#endif
