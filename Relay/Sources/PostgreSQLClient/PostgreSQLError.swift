#if PostgreSQL
/// An error of a connection or of a statement. The message contains no password.
package struct PostgreSQLError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The connection string is malformed.
        case invalidAddress
        /// The server cannot be reached, or the connection was lost. The outcome of the statement in progress is unknown.
        case connection
        /// The server did not answer within the time limit. The outcome of the statement in progress is unknown.
        case timeout
        /// The parameters are larger than the server accepts. Nothing was sent.
        case tooLarge
        /// All connections were in use for the whole time limit.
        case exhausted
        /// The server refused the statement, with this SQLSTATE.
        case server(String)
        /// A result does not have the expected form.
        case decoding
        /// The pool was closed.
        case closed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String {
        guard case .server(let state) = code else { return message }
        return "\(message) (SQLSTATE \(state))"
    }

    /// The SQLSTATE; nil if the server did not answer.
    package var state: String? {
        guard case .server(let state) = code else { return nil }
        return state
    }

    /// Whether the transaction failed only because of a concurrent one, and nothing of it was stored.
    package var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether the connection must not be used again: it is lost, its server shuts down, or its server has become a standby.
    package var endsConnection: Bool {
        switch code {
        case .connection, .timeout: true
        case .server(let state): state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" || state == "25P03"
        default: false
        }
    }
}
#endif
