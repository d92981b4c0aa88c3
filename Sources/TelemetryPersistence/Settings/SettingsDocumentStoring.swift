import TelemetryModels

/// Keeps a ``SettingsDocument``, as the settings stores of this package do. ``PlainSettings`` adapts those of a host.
package protocol SettingsDocumentStoring: Sendable {
    /// Whether more than the settings outlives the process.
    nonisolated var keepsDocument: Bool { get }

    /// Returns the document; the empty one if there is none.
    func loadDocument() async -> SettingsDocument

    /// Returns the same as ``loadDocument()``, called before each delivery of events.
    func currentDocument() async -> SettingsDocument

    /// Changes the document atomically across processes.
    /// - Parameters:
    ///   - isOptOut: Whether to record the opt-out elsewhere if the document cannot be written.
    ///   - transform: May run more than once; the last run counts.
    /// - Returns: For an opt-out, whether it outlives the process.
    func changeDocument(isOptOut: Bool, _ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool
}

/// A host's settings store, which keeps the settings and nothing beside them.
package struct PlainSettings: SettingsDocumentStoring {
    private let store: any TelemetrySettingsStoring

    package init(_ store: any TelemetrySettingsStoring) { self.store = store }

    package var keepsDocument: Bool { false }

    package func loadDocument() async -> SettingsDocument { SettingsDocument(settings: await store.load()) }

    package func currentDocument() async -> SettingsDocument { SettingsDocument(settings: await store.current()) }

    package func changeDocument(
        isOptOut: Bool, _ transform: @Sendable (inout SettingsDocument) -> Void
    ) async -> Bool {
        let change: @Sendable (inout TelemetrySettings) -> Void = { settings in
            var document = SettingsDocument(settings: settings)
            transform(&document)
            settings = document.settings
        }
        if isOptOut { return await store.recordOptOut(change) }
        await store.update(change)
        return true
    }
}
