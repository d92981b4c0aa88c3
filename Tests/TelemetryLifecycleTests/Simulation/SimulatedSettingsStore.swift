import TelemetryModels
import TelemetryPersistence

/// The device's settings, as one process reads them. The process may die before or after each change, and at times they cannot be
/// written or even read. Unwritten changes are merged with the stored settings, as in a file store.
@MainActor
final class SimulatedSettingsStore: TelemetrySettingsStoring {
    private let process: SimulatedProcess
    private var known: TelemetrySettings?
    private var unsaved: (value: TelemetrySettings, base: TelemetrySettings)?
    /// The number of the recorded opt-out that is part of the unwritten changes.
    private var appliedMark = 0

    init(process: SimulatedProcess) { self.process = process }

    private var device: SimulatedDevice { process.device }

    func load() async -> TelemetrySettings {
        guard !process.isDead else { return .defaults }
        let isWritten = unsaved != nil && !device.isUnwritable && !device.isUnreadable
        if isWritten || isMarked { return change { _ in } }
        guard !device.isUnreadable else { return unsaved?.value ?? known ?? .defaults }
        known = device.settings
        return current
    }

    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await update { $0 = settings } }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await process.world.storeGate(process, "save settings")
        guard !process.isDead else { return .defaults }
        let settings = change(transform)
        await process.world.storeGate(process, "settings saved")
        return settings
    }

    nonisolated var recordsOptOuts: Bool { true }
    func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        await process.world.storeGate(process, "record opt-out")
        guard !process.isDead else { return false }
        _ = change(transform)
        if unsaved != nil {
            device.isOptOutMarked = true
            device.markCount += 1
            appliedMark = device.markCount
        }
        await process.world.storeGate(process, "opt-out recorded")
        return true
    }

    func reset() async -> TelemetrySettings { await save(.defaults) }

    private var isMarked: Bool { device.isOptOutMarked && appliedMark != device.markCount }

    private var current: TelemetrySettings {
        unsaved.map { device.settings.merging($0.value, since: $0.base) } ?? device.settings
    }

    private func change(_ transform: (inout TelemetrySettings) -> Void) -> TelemetrySettings {
        let isUnseen = device.isUnreadable
        if !isUnseen { known = device.settings }
        var settings = isUnseen ? unsaved?.value ?? known ?? .defaults : current
        if isMarked {
            settings.optOut()
            appliedMark = device.markCount
        }
        transform(&settings)
        if isUnseen || device.isUnwritable {
            unsaved = (settings, isUnseen ? unsaved?.base ?? known ?? .defaults : device.settings)
            return settings
        }
        device.store(settings)
        known = settings
        unsaved = nil
        device.isOptOutMarked = false
        return settings
    }

    // MARK: Which processes use a client

    func beginUse(of clientId: String) async {
        if !process.isDead { device.uses[clientId, default: []].insert(ObjectIdentifier(process)) }
    }
    func endUse(of clientId: String) async { device.uses[clientId]?.remove(ObjectIdentifier(process)) }
    func isUsedElsewhere(_ clientId: String) async -> Bool {
        device.uses[clientId]?.contains { $0 != ObjectIdentifier(process) } ?? false
    }
}
