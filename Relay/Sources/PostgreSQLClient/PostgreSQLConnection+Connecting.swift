#if PostgreSQL
extension PostgreSQLConnection {
    /// Connects to the first host that accepts a connection, and applies the settings of the session.
    package static func connect(to address: PostgreSQLAddress, _ session: PostgreSQLSession) async throws -> PostgreSQLConnection
    {
        var candidates = address.candidates[...]
        while true {
            let candidate = candidates.removeFirst()
            do {
                return try await connect(toHostOf: candidate, session)
            } catch let error as PostgreSQLError {
                if candidates.isEmpty { throw error }
            }
        }
    }

    private static func connect(
        toHostOf address: PostgreSQLAddress, _ session: PostgreSQLSession
    ) async throws -> PostgreSQLConnection {
        let handle = try await PostgreSQLHandle.open(
            address.settings(timeout: session.connectTimeout), timeout: session.connectTimeout)
        let connection = PostgreSQLConnection(handle, timeout: session.statementTimeout + grace)
        try await connection.apply(session)
        return connection
    }
}
#endif
