extension FileTelemetrySettingsStore: TelemetryClientUseRecording {
    package func beginUse(of clientId: String) async {
        guard uses[clientId] == nil else { return }
        let lock = await ClientUseLock.begin(ClientUseLock.path(of: clientId, in: directory))
        // If another call was first, its lock is kept.
        if uses[clientId] == nil { uses[clientId] = lock }
    }

    package func endUse(of clientId: String) async { uses.removeValue(forKey: clientId)?.end() }

    package func isUsedElsewhere(_ clientId: String) async -> Bool {
        await uses[clientId]?.isShared() ?? ClientUseLock.isUsed(ClientUseLock.path(of: clientId, in: directory))
    }
}
