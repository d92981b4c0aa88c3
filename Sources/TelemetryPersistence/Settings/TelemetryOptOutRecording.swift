package import TelemetryModels

/// A settings store that knows whether an opt-out will outlive the process.
///
/// It keeps everything that settings consist of, the number of opt-outs and embedded work included.
package protocol TelemetryOptOutRecording: TelemetrySettingsStoring {
    /// Changes the settings as ``TelemetrySettingsStoring/update(_:)`` does. Where they cannot be written, the opt-out is
    /// recorded somewhere else, where the store finds it again.
    /// - Returns: whether the opt-out outlives the process. Otherwise the store keeps it as long as it lives.
    func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool
}
