#if PostgreSQL
/// The settings of each connection's session. Settings in `options` of the server's address override the server's time limits.
package struct PostgreSQLSession: Sendable {
    /// The time limit for connecting, and for a free connection of a pool.
    package var connectTimeout: Duration = .seconds(5)
    /// The server's time limit for one statement.
    package var statementTimeout: Duration = .seconds(20)
    /// The server's time limit for waiting for a lock.
    package var lockTimeout: Duration = .seconds(10)
    /// How long a transaction may wait for the next statement before the server ends it.
    package var idleTransactionTimeout: Duration = .seconds(20)
    /// Whether a commit waits for the server's disk; false sets `synchronous_commit` to `off`.
    package var waitsForDisk = true
    /// The name by which the server's views show the connection.
    package var applicationName = "telemetry-relay"

    package init() {}

    var statement: (sql: String, values: [PostgreSQLValue]) {
        func milliseconds(_ duration: Duration) -> PostgreSQLValue { .text("\(Int(duration / .milliseconds(1)))") }
        func limit(_ name: String, _ value: String) -> String {
            let chosen = "SELECT setting || COALESCE(unit, '') FROM pg_settings WHERE name = '\(name)' AND source = 'client'"
            return "set_config('\(name)', COALESCE((\(chosen)), \(value)::text), false)"
        }
        // A server that waits for its standbys is left as it is.
        let commit = waitsForDisk ? "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' END" : "'off'"
        return (
            """
            SELECT \(limit("statement_timeout", "$1")), \(limit("lock_timeout", "$2")),
            \(limit("idle_in_transaction_session_timeout", "$3")), set_config('application_name', $4::text, false),
            set_config('synchronous_commit', COALESCE(\(commit), current_setting('synchronous_commit')), false)
            """,
            [
                milliseconds(statementTimeout), milliseconds(lockTimeout), milliseconds(idleTransactionTimeout),
                .text(applicationName),
            ]
        )
    }
}
#endif
