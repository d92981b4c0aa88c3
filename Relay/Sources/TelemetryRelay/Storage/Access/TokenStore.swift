import Foundation
@_spi(Tooling) import TelemetryModels

/// Stores hashes of tokens in a table of a database.
final class TokenStore: RelayTokenStorage {
    private static let columns = "name, role, created, expires, last_used, revoked, scope"
    private let database: any StorageDatabase
    private let audit: AuditLog
    let announcer: ChangeAnnouncer
    private let uses = TokenUses()

    /// - Parameters:
    ///   - changes: the stored number of token creations and revocations.
    ///   - notify: notifies other relays of them.
    init(
        _ database: any StorageDatabase, audit: AuditLog, changes: Int64, notify: (@Sendable (Set<String>?) -> Void)?
    ) {
        (self.database, self.audit) = (database, audit)
        announcer = ChangeAnnouncer(next: changes, notify: notify)
    }

    func create(_ token: RelayToken, hash: Data) async throws {
        let key = StorageValue.bytes(NameKey.data(of: token.name))
        let change = try await database.write(.relay) { [audit] db in
            guard try db.rows("SELECT name FROM token WHERE name_key = $1", [key]).isEmpty else {
                throw RelayStorageError.nameInUse(token.name)
            }
            try db.enqueue(
                """
                INSERT INTO token (name_key, name, hash, role, created, expires, last_used, revoked, scope)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """,
                [
                    key, .bytes(Data(token.name.utf8)), .bytes(hash), .text(token.role.rawValue), .init(token.created),
                    .init(token.expires), .init(token.lastUsed), .init(token.revoked),
                    token.scope.map { .bytes(Data($0.json)) } ?? .null,
                ])
            var detail = AuditDetail(token.name)
            detail.add("role", token.role.rawValue)
            for (name, patterns) in token.scope?.lists ?? [] {
                for pattern in patterns { detail.add(name, pattern.text) }
            }
            detail.add("expires", token.expires.flatMap { TimestampText.string(from: $0) })
            try audit.write([RelayAuditEntry(.createToken, by: .command, detail: detail.text)], db)
            return try Self.countChange(db)
        }
        announce(change)
    }

    func token(hash: Data) async throws -> RelayToken? {
        try await database.rows("SELECT \(Self.columns) FROM token WHERE hash = $1", [.bytes(hash)]).first.map(Self.token)
            .map(uses.applied)
    }

    func all() async throws -> [RelayToken] {
        try await database.rows("SELECT \(Self.columns) FROM token", []).map(Self.token).map(uses.applied)
            .sorted { $0.name < $1.name }
    }

    func revoke(named name: String, at date: Date) async throws -> Bool {
        let key = StorageValue.bytes(NameKey.data(of: name))
        let change = try await database.write(.relay) { [audit] db -> Int64? in
            guard try db.execute("UPDATE token SET revoked = COALESCE(revoked, $1) WHERE name_key = $2", [.init(date), key]) > 0
            else { return nil }
            try audit.write([RelayAuditEntry(.revokeToken, by: .command, detail: AuditDetail(name).text)], db)
            return try Self.countChange(db)
        }
        announce(change)
        return change != nil
    }

    func noteUse(ofTokenNamed name: String, at date: Date) { uses.note(name, at: date) }

    func hasTokens() async throws -> Bool {
        try await uses.hasTokens { try await !database.rows("SELECT name FROM token LIMIT 1", []).isEmpty }
    }

    func hints() -> AsyncStream<Void> { announcer.hints(of: nil) }

    /// Writes the last uses of tokens. After a failure, the next call writes them again.
    func writeUses() async throws {
        try await uses.write { uses in
            try await database.write(.relay) { db in
                for (name, date) in uses {
                    try db.enqueue(
                        "UPDATE token SET last_used = CASE WHEN last_used > $1 THEN last_used ELSE $1 END WHERE name_key = $2",
                        [.init(date), .bytes(NameKey.data(of: name))])
                }
            }
        }
    }

    /// - Returns: the number of the change.
    private static func countChange(_ db: any StorageConnection) throws -> Int64? {
        try db.int("UPDATE relay_state SET token_changes = token_changes + 1 WHERE id = 1 RETURNING token_changes")
    }

    private func announce(_ change: Int64?) {
        if let change { announcer.announce((change - 1)..<change, of: nil) }
    }

    private static func token(_ row: StorageRow) throws -> RelayToken {
        guard let role = RelayRole(rawValue: try row.text(1)) else {
            throw RelayStorageError.corrupt("a token has an unknown role")
        }
        return RelayToken(
            name: String(decoding: try row.bytes(0), as: UTF8.self), role: role,
            scope: try row.optionalBytes(6).map(RelayScope.init(stored:)), created: try row.date(2) ?? .distantPast,
            expires: try row.date(3), lastUsed: try row.date(4), revoked: try row.date(5))
    }
}
