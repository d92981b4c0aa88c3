import TelemetryPersistence

/// Recording, for other processes, which clients this one uses.
extension SettingsKeeper {
    private var register: (any TelemetryClientUseRecording)? { settingsStore as? any TelemetryClientUseRecording }

    /// Records that this process uses the client, and reads the settings again. A later opt-out in another process finds the
    /// client in use.
    func beginUse(of clientId: String) async {
        guard let register, uses.insert(clientId).inserted else { return }
        await register.beginUse(of: clientId)
        await load()
    }

    func endUse(of clientId: String) async {
        guard let register, uses.remove(clientId) != nil else { return }
        await register.endUse(of: clientId)
    }

    /// Whether another process may still store data of the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool { await register?.isUsedElsewhere(clientId) ?? false }
}
