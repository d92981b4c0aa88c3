/// Use by several processes, by locks of files that end with the process.
extension FileTelemetrySettingsStore {
    public func beginUse(of clientId: String) async {
        guard uses[clientId] == nil else { return }
        let lock = await ClientUseLock.begin(ClientUseLock.path(of: clientId, in: directory))
        // If another call was first, its lock is kept.
        if uses[clientId] == nil { uses[clientId] = lock }
    }

    public func endUse(of clientId: String) async { uses.removeValue(forKey: clientId)?.end() }

    public func isUsedElsewhere(_ clientId: String) async -> Bool {
        await uses[clientId]?.isShared() ?? ClientUseLock.isUsed(ClientUseLock.path(of: clientId, in: directory))
    }
}
