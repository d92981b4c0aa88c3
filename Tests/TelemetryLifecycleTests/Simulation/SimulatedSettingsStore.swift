import TelemetryModels
import TelemetryPersistence

/// The device's settings, as one process reads them. The process may die before or after each change, and at times they cannot be
/// written or even read. Unwritten changes are merged with the stored settings, as in a file store.
@MainActor
final class SimulatedSettingsStore: TelemetrySettingsStoring, SettingsDocumentStoring {
    private let process: SimulatedProcess
    private var known: SettingsDocument?
    private var unsaved: (value: SettingsDocument, base: SettingsDocument)?
    /// The number of the recorded opt-out that is part of the unwritten changes.
    private var appliedMark = 0

    init(process: SimulatedProcess) { self.process = process }

    private var device: SimulatedDevice { process.device }

    nonisolated var keepsDocument: Bool { true }

    func loadDocument() async -> SettingsDocument {
        guard !process.isDead else { return SettingsDocument() }
        let isWritten = unsaved != nil && !device.isUnwritable && !device.isUnreadable
        if isWritten || isMarked { return change { _ in } }
        guard !device.isUnreadable else { return unsaved?.value ?? known ?? SettingsDocument() }
        known = device.document
        return current
    }

    func currentDocument() async -> SettingsDocument { await loadDocument() }

    func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async {
        await process.world.storeGate(process, "save settings")
        guard !process.isDead else { return }
        _ = change(transform)
        await process.world.storeGate(process, "settings saved")
    }

    func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
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

    func load() async -> TelemetrySettings { await loadDocument().settings }
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await update { $0 = settings } }
    func reset() async -> TelemetrySettings { await save(.defaults) }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await changeDocument { transform(&$0.settings) }
        return await load()
    }

    private var isMarked: Bool { device.isOptOutMarked && appliedMark != device.markCount }

    private var current: SettingsDocument {
        unsaved.map { device.document.merging($0.value, since: $0.base) } ?? device.document
    }

    private func change(_ transform: (inout SettingsDocument) -> Void) -> SettingsDocument {
        let isUnseen = device.isUnreadable
        if !isUnseen { known = device.document }
        var document = isUnseen ? unsaved?.value ?? known ?? SettingsDocument() : current
        if isMarked {
            document.optOut()
            appliedMark = device.markCount
        }
        transform(&document)
        if isUnseen || device.isUnwritable {
            unsaved = (document, isUnseen ? unsaved?.base ?? known ?? SettingsDocument() : device.document)
            return document
        }
        device.store(document)
        known = document
        unsaved = nil
        device.isOptOutMarked = false
        return document
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
