package import TelemetryModels

/// A settings store that can be read often: it reads the settings only if they may have changed.
package protocol TelemetrySettingsCaching: TelemetrySettingsStoring {
    /// Returns the same as ``TelemetrySettingsStoring/load()``.
    func current() async -> TelemetrySettings
}
