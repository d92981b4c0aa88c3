package import TelemetryModels

/// The events of a client to delete.
package struct EventSelection: Sendable {
    /// Whether every event of the client is selected, including unreadable ones.
    package let isWholeClient: Bool
    /// Whether an event is selected.
    package let includes: @Sendable (TelemetryEvent) -> Bool

    package init(isWholeClient: Bool, includes: @escaping @Sendable (TelemetryEvent) -> Bool) {
        self.isWholeClient = isWholeClient
        self.includes = includes
    }
}
