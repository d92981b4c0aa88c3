import Foundation
import Synchronization
import TelemetryModels
import TelemetryPersistence

/// Records the diagnostics that a handler receives.
final class DiagnosticsLog: Sendable {
    private let heard = Mutex<[TelemetryDiagnostic]>([])

    var handler: TelemetryDiagnosticsHandler { { [self] diagnostic in heard.withLock { $0.append(diagnostic) } } }
    var kinds: [TelemetryDiagnostic.Kind] { heard.withLock { $0.map(\.kind) } }
    var messages: [String] { heard.withLock { $0.map(\.message) } }
}

extension URL {
    var text: String { path(percentEncoded: false) }

    var permissions: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: text)[.posixPermissions] as? Int }
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: text).sorted() }
    }
}

/// Runs the body with a new suite of user defaults, which is removed afterwards.
func withSuite<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let name = "live-telemetry-\(UUID().uuidString)"
    defer {
        UserDefaults.standard.removePersistentDomain(forName: name)
        let home = FileManager.default.homeDirectoryForCurrentUser
        try? FileManager.default.removeItem(at: home.appending(path: ".config/\(name).plist"))
    }
    return try await body(name)
}

/// Increments the number in the client's identifier, in one update.
func countUp(_ store: any TelemetrySettingsStoring) async -> TelemetrySettings {
    await store.update { settings in
        settings.clientIdentifier = "\((settings.clientIdentifier.flatMap(Int.init) ?? 0) + 1)"
    }
}
