public import TelemetryModels

/// Keeps a client's settings across restarts.
///
/// The methods do not throw: a store that cannot be read returns ``TelemetryModels/TelemetrySettings/defaults``, and one that
/// cannot be written uses the settings in memory; a diagnostics handler receives both.
public protocol TelemetrySettingsStoring: Sendable {
    /// Returns the stored settings, or the defaults if there are none.
    func load() async -> TelemetrySettings

    /// Replaces the settings and returns them.
    @discardableResult
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings

    /// Changes the settings atomically, also between processes, and returns the result.
    @discardableResult
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings

    /// Resets the settings to the defaults and returns them.
    @discardableResult
    func reset() async -> TelemetrySettings
}
