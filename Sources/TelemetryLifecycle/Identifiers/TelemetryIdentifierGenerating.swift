/// Makes the identifiers by which clients are known to viewers.
public protocol TelemetryIdentifierGenerating: Sendable {
    /// A new identifier: non-empty, at most 1,024 bytes of UTF-8.
    func generateIdentifier() -> String
}
