/// A settings store that records which clients this process uses, for other processes to read.
///
/// The use ends when the process is killed; other processes then delete the data that it stored.
package protocol TelemetryClientUseRecording: TelemetrySettingsStoring {
    /// Records that this process uses the client.
    func beginUse(of clientId: String) async
    /// Records that this process no longer stores data of the client.
    func endUse(of clientId: String) async
    /// Whether another process uses the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool
}
