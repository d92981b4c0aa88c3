/// Generates the identifiers of clients, which viewers see.
public protocol TelemetryIdentifierGenerating: Sendable {
    /// Returns a new identifier: non-empty, at most 1,024 bytes of UTF-8.
    func generateIdentifier() -> String
}
