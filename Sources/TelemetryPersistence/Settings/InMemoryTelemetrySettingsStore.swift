public import TelemetryModels

/// Settings and pending work in memory, for tests and previews.
public actor InMemoryTelemetrySettingsStore: TelemetrySettingsStoring, TelemetryPendingWorkStoring {
    private var document = SettingsDocument()
    private var work = TelemetryPendingWork()

    /// Creates a store that holds the default settings.
    public init() {}

    public func load() async -> TelemetrySettings { document.settings }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        document.settings = settings
        return settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        transform(&document.settings)
        return document.settings
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        document = SettingsDocument()
        return document.settings
    }

    // MARK: Pending work

    /// Returns the pending work.
    public func loadPendingWork() async -> TelemetryPendingWork { work }

    /// Changes the pending work and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        transform(&work)
        return work
    }

    /// Removes the pending work and keeps the settings.
    public func removePendingWork() async { work = TelemetryPendingWork() }
}

extension InMemoryTelemetrySettingsStore: SettingsDocumentStoring {
    package nonisolated var keepsDocument: Bool { true }

    package func loadDocument() async -> SettingsDocument { document }

    package func currentDocument() async -> SettingsDocument { document }

    package func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async { transform(&document) }

    package func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
        transform(&document)
        return true
    }
}
