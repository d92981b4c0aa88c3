/// A non-fatal problem in the library. It is passed to the host's handler instead of printed.
public struct TelemetryDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Kind: String, Sendable, CaseIterable {
        /// A file has invalid contents and was moved aside.
        case corruptFile
        /// The incomplete end of a file, left by a killed process, was skipped.
        case tornTail
        /// Something could not be written or read; the library continues without it.
        case storageFailed
        /// Events were dropped and counted.
        case eventsDropped
        /// An operation of a transport failed and will be retried.
        case transportFailed
        /// External input is not supported by this version.
        case unexpectedInput
    }

    /// The kind of problem, for code that handles some of them.
    public let kind: Kind
    /// One sentence for a developer that names the file or record concerned.
    public let message: String

    /// Creates a diagnostic.
    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { "\(kind.rawValue): \(message)" }
}

/// Receives diagnostics. Called on the thread on which the problem occurred; it must not block and must not call back into the
/// library.
public typealias TelemetryDiagnosticsHandler = @Sendable (TelemetryDiagnostic) -> Void
