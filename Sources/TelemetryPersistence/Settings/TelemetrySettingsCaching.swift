package import TelemetryModels

/// A settings store that can be asked often: it reads the settings only where they may have changed.
package protocol TelemetrySettingsCaching: TelemetrySettingsStoring {
    /// What ``TelemetrySettingsStoring/load()`` returns.
    func current() async -> TelemetrySettings
}
