package import TelemetryModels

/// A settings store that reports whether an opt-out outlives the process.
///
/// It keeps all of the settings, including the number of opt-outs and embedded work.
package protocol TelemetryOptOutRecording: TelemetrySettingsStoring {
    /// Changes the settings like ``TelemetrySettingsStoring/update(_:)``. If they cannot be written, the opt-out is recorded
    /// elsewhere, where the store finds it later.
    /// - Returns: Whether the opt-out outlives the process. Otherwise the store keeps it in memory.
    func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool
}
