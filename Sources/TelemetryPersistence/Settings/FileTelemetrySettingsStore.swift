public import Foundation
public import TelemetryModels

/// Settings in a file `settings.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is made, for its owner alone, when something is saved for the first time. A file that cannot be read as
/// settings is set aside as `settings.corrupt.json`. What cannot be written is kept in memory, as long as the store lives, merged
/// onto what is stored and written as soon as that is possible. An opt-out that cannot be written is recorded by a file
/// `settings.opted-out`, or by removing the settings. Pending work is kept beside the settings, as
/// ``FileTelemetryPendingWorkStore`` keeps it.
public actor FileTelemetrySettingsStore: TelemetryOptOutRecording, TelemetrySettingsCaching {
    private var document: StoredDocument<TelemetrySettings>
    private var marker: OptOutMarker
    /// What is kept beside the settings.
    var pendingWork: PendingWorkDocument
    let directory: URL
    /// The clients that this process uses.
    var uses: [String: ClientUseLock] = [:]
    /// What was read last, as long as nothing was changed since.
    private var cached: (settings: TelemetrySettings, stamp: FileStamp)?

    /// - Parameters:
    ///   - directory: Where the file is, or will be.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: "settings", diagnostics: diagnostics), initial: .defaults)
        marker = OptOutMarker(directory: directory, name: "settings.opted-out")
        pendingWork = PendingWorkDocument(directory: directory, diagnostics: diagnostics)
        self.directory = directory
    }

    public func load() async -> TelemetrySettings {
        if marker.isPlaced { return await change { _ in } }
        if let settings = document.loadUnlocked() { return settings }
        return document.load(await document.lock())
    }

    package func current() async -> TelemetrySettings {
        // Before reading: what changes meanwhile is then seen the next time.
        let stamp = FileStamp(of: "settings.json", in: directory)
        if let cached, cached.stamp == stamp { return cached.settings }
        let settings = await load()
        cached = document.isSaved && stamp.isSettled(at: Date()) ? (settings, stamp) : nil
        return settings
    }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        await change { stored in
            let previous = stored
            stored = settings
            stored.optOuts = max(previous.optOuts, settings.optOuts)
            if settings.embeddedWork.isEmpty { stored.embeddedWork = previous.embeddedWork }
        }
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await change(transform)
    }

    package func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        _ = await change(transform)
        // Without a file there is no consent. Removing it needs no room on the disk.
        return document.isSaved || document.isMissing || marker.place() || document.removeFile()
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

    /// Changes the settings after an opt-out that was only marked so far.
    private func change(_ transform: (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        let lock = await document.lock()
        // What could not be written changes no stamp.
        cached = nil
        let settings = document.change(lock) { settings in
            if marker.take() { settings.optOut() }
            transform(&settings)
        }
        if document.isSaved { marker.clear() }
        return settings
    }
}
