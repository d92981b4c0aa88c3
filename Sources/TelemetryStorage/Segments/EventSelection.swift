package import TelemetryModels

/// The events of a client that a deletion is for.
package struct EventSelection: Sendable {
    /// Whether every event of the client is meant, also those that cannot be read.
    package let isWholeClient: Bool
    /// Whether an event is meant.
    package let includes: @Sendable (TelemetryEvent) -> Bool

    package init(isWholeClient: Bool, includes: @escaping @Sendable (TelemetryEvent) -> Bool) {
        self.isWholeClient = isWholeClient
        self.includes = includes
    }
}
