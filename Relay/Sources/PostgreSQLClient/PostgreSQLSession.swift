#if PostgreSQL
/// The settings of each connection's session. Settings in `options` of the server's address override those for time limits and costs.
package struct PostgreSQLSession: Sendable {
    /// The time limit for connecting, and for a free connection of a pool.
    package var connectTimeout: Duration = .seconds(5)
    /// The server's time limit for one statement.
    package var statementTimeout: Duration = .seconds(20)
    /// The server's time limit for waiting for a lock.
    package var lockTimeout: Duration = .seconds(10)
    /// How long a transaction may wait for the next statement before the server ends it.
    package var idleTransactionTimeout: Duration = .seconds(5)
    /// The maximum cost of a page that is not read in sequence, as the server's planner estimates it. The server's default of 4, that
    /// of rotating disks, makes it sort many blocks instead of reading them in the order of an index.
    package var randomPageCost = 1.1
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
            \(limit("idle_in_transaction_session_timeout", "$3")),
            \(limit("random_page_cost", "LEAST(current_setting('random_page_cost')::float8, $5::float8)")), set_config('application_name', $4::text, false),
            set_config('synchronous_commit', COALESCE(\(commit), current_setting('synchronous_commit')), false)
            """,
            [
                milliseconds(statementTimeout), milliseconds(lockTimeout), milliseconds(idleTransactionTimeout),
                .text(applicationName), .double(randomPageCost),
            ]
        )
    }
}
#endif
