import TelemetryPersistence

/// Showing other processes which clients this one uses.
extension SettingsKeeper {
    private var register: (any TelemetryClientUseRecording)? { settingsStore as? any TelemetryClientUseRecording }

    /// Shows that this process uses the client, and reads the settings again: an opt-out from now on will find it in use.
    func beginUse(of clientId: String) async {
        guard let register, uses.insert(clientId).inserted else { return }
        await register.beginUse(of: clientId)
        await load()
    }

    func endUse(of clientId: String) async {
        guard let register, uses.remove(clientId) != nil else { return }
        await register.endUse(of: clientId)
    }

    /// Whether another process may still store something of the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool { await register?.isUsedElsewhere(clientId) ?? false }
}
