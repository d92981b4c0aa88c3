import TelemetryModels

/// Keeps a ``SettingsDocument``, as the settings stores of this package do. ``PlainSettings`` adapts those of a host.
package protocol SettingsDocumentStoring: Sendable {
    /// Whether the number of opt-outs and the embedded work are kept with the settings.
    nonisolated var keepsDocument: Bool { get }

    /// Returns the document; the empty one if there is none.
    func loadDocument() async -> SettingsDocument

    /// Returns the same as ``loadDocument()``, called before each delivery of events.
    func currentDocument() async -> SettingsDocument

    /// Changes the document atomically across processes.
    /// - Parameter transform: May run more than once; the last run counts.
    func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async

    /// Changes the document like ``changeDocument(_:)``. If it cannot be written, the opt-out is recorded elsewhere.
    /// - Returns: Whether the opt-out outlives the process.
    func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool
}

/// A host's settings store, which keeps the settings and nothing beside them.
package struct PlainSettings: SettingsDocumentStoring {
    private let store: any TelemetrySettingsStoring

    package init(_ store: any TelemetrySettingsStoring) { self.store = store }

    package var keepsDocument: Bool { false }

    package func loadDocument() async -> SettingsDocument { SettingsDocument(settings: await store.load()) }

    package func currentDocument() async -> SettingsDocument { SettingsDocument(settings: await store.current()) }

    package func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async {
        await store.update { Self.change(&$0, transform) }
    }

    package func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
        await store.recordOptOut { Self.change(&$0, transform) }
    }

    private static func change(_ settings: inout TelemetrySettings, _ transform: (inout SettingsDocument) -> Void) {
        var document = SettingsDocument(settings: settings)
        transform(&document)
        settings = document.settings
    }
}
