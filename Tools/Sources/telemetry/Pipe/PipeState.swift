import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The directory in which a pipe keeps who it is; one process at a time has it.
final class PipeState: Sendable {
    let directory: URL
    private let lock: FileHandle

    /// - Throws: ``ViewerKit/ToolFailure`` where another pipe of this name runs, or the directory cannot be made.
    init(name: String, store: URL, environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        directory = Self.base(environment)
            .appendingPathComponent("live-telemetry/telemetry-pipe")
            .appendingPathComponent(
                "\(Self.fingerprint(store.resolvingSymlinksInPath().path))-\(try await Self.fileName(name))")
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = directory.appendingPathComponent("lock")
            if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
            lock = try FileHandle(forUpdating: file)
        } catch {
            throw ToolFailure(
                .cannotCreate, "The pipe cannot keep its identity in \(directory.path.visible): \(error.localizedDescription)")
        }
        guard FileLock.take(lock.fileDescriptor) else {
            throw ToolFailure(
                .unavailable, "A pipe named \"\(name.visible)\" runs already; give this one a name of its own with --name.")
        }
    }

    private static func base(_ environment: [String: String]) -> URL {
        if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") { return URL(fileURLWithPath: path) }
        #if os(macOS)
        return URL.applicationSupportDirectory
        #else
        return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
        #endif
    }

    /// A name for the file system, the same for two spellings that are one name: the library makes such a one for every client.
    private static func fileName(_ name: String) async throws -> String {
        do {
            let client = try await InMemoryTelemetryTransport().createTelemetryClient(clientId: name, isEnabled: false)
            return client.recordID?.recordName ?? ""
        } catch { throw ToolFailure(.data, "\"\(name.visible.fitted(to: 40))\" is no name for a pipe: at most 1,024 bytes.") }
    }

    /// Short, the same in every process; two stores get different ones.
    private static func fingerprint(_ text: String) -> String {
        String(text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 36)
    }
}
