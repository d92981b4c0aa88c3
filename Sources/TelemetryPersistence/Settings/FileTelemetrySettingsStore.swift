public import Foundation
public import TelemetryModels

/// Settings in a file `settings.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is created by the first save, accessible to its owner only. An invalid file is moved to `settings.corrupt.json`.
/// Changes that cannot be written are kept in memory as long as the store exists, and merged onto the stored settings once they
/// can be written. An opt-out that cannot be written is recorded by a file `settings.opted-out`, or by removing the settings.
/// Pending work is kept in the same directory, in the same way as in ``FileTelemetryPendingWorkStore``.
public actor FileTelemetrySettingsStore: TelemetrySettingsStoring {
    private var document: StoredDocument<SettingsDocument>
    private var marker: OptOutMarker
    /// The pending work, in the settings' directory.
    var pendingWork: PendingWorkDocument
    private let directory: URL
    /// The clients that this process uses.
    private var uses: [String: ClientUseLock] = [:]
    /// The last read document; nil if it was changed since.
    private var cached: (document: SettingsDocument, stamp: DocumentStamp)?

    /// - Parameters:
    ///   - directory: The file's directory.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: "settings", diagnostics: diagnostics), initial: SettingsDocument())
        marker = OptOutMarker(directory: directory, name: "settings.opted-out")
        pendingWork = PendingWorkDocument(directory: directory, diagnostics: diagnostics)
        self.directory = directory
    }

    public func load() async -> TelemetrySettings { await loadDocument().settings }

    public func current() async -> TelemetrySettings { await currentDocument().settings }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        await change { $0.settings = settings }.settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await change { transform(&$0.settings) }.settings
    }

    public func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        await recordOptOutInDocument { transform(&$0.settings) }
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        cached = nil
        let lock = document.isMissing ? nil : await document.lock()
        cached = nil
        _ = marker.take()
        document.remove(lock)
        if document.isSaved { marker.clear() }
        return .defaults
    }

    // MARK: Use by several processes, by locks of files that end with the process

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

    // MARK: Changes

    /// Changes the document, after completing an opt-out that was only marked.
    private func change(_ transform: (inout SettingsDocument) -> Void) async -> SettingsDocument {
        let lock = await document.lock()
        // A change that could not be written does not change the stamp.
        cached = nil
        let changed = document.change(lock) { stored in
            if marker.take() { stored.optOut() }
            transform(&stored)
        }
        if document.isSaved { marker.clear() }
        return changed
    }
}

extension FileTelemetrySettingsStore: SettingsDocumentStoring {
    package nonisolated var keepsDocument: Bool { true }

    package func loadDocument() async -> SettingsDocument {
        if marker.isPlaced { return await change { _ in } }
        if let stored = document.loadUnlocked() { return stored }
        return document.load(await document.lock())
    }

    package func currentDocument() async -> SettingsDocument {
        // Before reading, so that the next call sees a change made meanwhile.
        let stamp = DocumentStamp(of: "settings.json", in: directory)
        if let cached, cached.stamp == stamp { return cached.document }
        let stored = await loadDocument()
        cached = document.isSaved && stamp.isSettled(at: Date()) ? (stored, stamp) : nil
        return stored
    }

    package func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async { _ = await change(transform) }

    package func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
        _ = await change(transform)
        // Without a file there is no consent, and removing it needs no disk space.
        return document.isSaved || document.isMissing || marker.place() || document.removeFile()
    }
}
