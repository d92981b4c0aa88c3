extension FileTelemetrySettingsStore: TelemetryClientUseRecording {
    package func beginUse(of clientId: String) async {
        guard uses[clientId] == nil else { return }
        uses[clientId] = ClientUseLock.begin(ClientUseLock.path(of: clientId, in: directory))
    }

    package func endUse(of clientId: String) async { uses.removeValue(forKey: clientId)?.end() }

    package func isUsedElsewhere(_ clientId: String) async -> Bool {
        uses[clientId]?.isShared ?? ClientUseLock.isUsed(ClientUseLock.path(of: clientId, in: directory))
    }
}
