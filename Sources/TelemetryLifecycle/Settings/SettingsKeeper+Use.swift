import TelemetryPersistence

/// Recording, for other processes, which clients this one uses.
extension SettingsKeeper {
    /// Records that this process uses the client, and reads the settings again. A later opt-out in another process finds the
    /// client in use.
    func beginUse(of clientId: String) async {
        guard uses.insert(clientId).inserted else { return }
        await settingsStore.beginUse(of: clientId)
        await load()
    }

    func endUse(of clientId: String) async {
        if uses.remove(clientId) != nil { await settingsStore.endUse(of: clientId) }
    }

    /// Whether another process may still store data of the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool { await settingsStore.isUsedElsewhere(clientId) }
}
