/// Something odd that the library met and survived, told to the host's handler instead of printed.
public struct TelemetryDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// What kind of oddity it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A file could not be read as what it should be, and was set aside.
        case corruptFile
        /// A torn end of a file, as a killed process leaves it, was skipped.
        case tornTail
        /// Something could not be written or read; the library works on without it.
        case storageFailed
        /// Events were dropped, and counted.
        case eventsDropped
        /// An operation at a transport failed and is tried again later.
        case transportFailed
        /// Something came from outside that this version does not understand.
        case unexpectedInput
    }

    /// The kind of problem, for code that handles some of them.
    public let kind: Kind
    /// One sentence for a developer; names the file or record that is meant.
    public let message: String

    /// Creates a diagnostic.
    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { "\(kind.rawValue): \(message)" }
}

/// Hears of oddities. Called on whatever thread met one; it must not block and must not call back into the library.
public typealias TelemetryDiagnosticsHandler = @Sendable (TelemetryDiagnostic) -> Void
