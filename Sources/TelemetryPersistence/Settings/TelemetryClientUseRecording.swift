/// A settings store that shows other processes which clients this one uses, as long as it runs.
///
/// A process that is killed uses nothing any more; what it was storing at the store is then for others to delete.
package protocol TelemetryClientUseRecording: TelemetrySettingsStoring {
    /// From now on other processes see that the client is in use.
    func beginUse(of clientId: String) async
    /// This process stores nothing of the client any more.
    func endUse(of clientId: String) async
    /// Whether another process uses the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool
}
