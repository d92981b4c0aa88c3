public import TelemetryModels

/// Keeps a client's settings across restarts.
///
/// Nothing here throws: a store that cannot be read gives ``TelemetryModels/TelemetrySettings/defaults``, and one that cannot
/// be written goes on from memory; a diagnostics handler receives both.
public protocol TelemetrySettingsStoring: Sendable {
    /// The stored settings, or the defaults where there are none.
    func load() async -> TelemetrySettings

    /// Replaces the settings and returns them.
    @discardableResult
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings

    /// Changes the settings as one step, also between processes, and returns the result.
    @discardableResult
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings

    /// Goes back to the defaults and returns them.
    @discardableResult
    func reset() async -> TelemetrySettings
}
