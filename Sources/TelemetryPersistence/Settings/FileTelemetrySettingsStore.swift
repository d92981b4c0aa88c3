public import Foundation
public import TelemetryModels

/// Settings in a file `settings.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is made, for its owner alone, when something is saved for the first time. A file that cannot be read as
/// settings is set aside as `settings.corrupt.json`. What cannot be written is served from memory, as long as the store lives,
/// and written with the next change.
public actor FileTelemetrySettingsStore: TelemetrySettingsStoring {
    private var document: StoredDocument<TelemetrySettings>

    /// - Parameters:
    ///   - directory: Where the file is, or will be.
    ///   - diagnostics: Hears of corrupt files and of failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: "settings", diagnostics: diagnostics), initial: .defaults)
    }

    public func load() async -> TelemetrySettings { document.load() }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        document.replace(with: settings)
        return settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        document.change(transform)
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        document.remove()
        return .defaults
    }
}
