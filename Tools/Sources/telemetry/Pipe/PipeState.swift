import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The directory with a pipe's identity. Pipes of one name that run at the same time have different directories: a pipe takes the
/// first directory that no other one uses, so that it is the same client after a restart.
final class PipeState: Sendable {
    /// The maximum number of pipes of one name at the same time.
    private static let maximumInstances = 1_000

    let directory: URL
    private let lock: FileHandle

    /// - Throws: ``ViewerKit/ToolFailure`` if the directory cannot be created, or too many pipes of this name are running.
    init(name: String, store: StoreLocation, environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        let first = Self.base(environment)
            .appendingPathComponent("live-telemetry/telemetry-pipe")
            .appendingPathComponent("\(Self.fingerprint(store.identity))-\(try await Self.fileName(name))")
        for number in 1...Self.maximumInstances {
            let directory = number == 1 ? first : first.appendingPathComponent("instances/\(number)")
            if let lock = try Self.locked(directory) {
                self.directory = directory
                self.lock = lock
                return
            }
        }
        throw ToolFailure(
            .unavailable,
            "\(Self.maximumInstances.grouped) pipes named \"\(name.visible)\" are running; choose another name with --name.")
    }

    /// Creates and locks the directory; returns nil if another pipe uses it.
    private static func locked(_ directory: URL) throws -> FileHandle? {
        let lock: FileHandle
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = directory.appendingPathComponent("lock")
            if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
            lock = try FileHandle(forUpdating: file)
        } catch {
            throw ToolFailure(
                .cannotCreate, "Cannot save the identity of the pipe in \(directory.path.visible): \(error.localizedDescription)")
        }
        return DescriptorLock.lock(lock.fileDescriptor) ? lock : nil
    }

    private static func base(_ environment: [String: String]) -> URL {
        if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") { return URL(fileURLWithPath: path) }
        #if os(macOS)
        return URL.applicationSupportDirectory
        #else
        return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
        #endif
    }

    /// The file name for a pipe's name, equal for canonically equivalent names. The library creates such a name for every client.
    private static func fileName(_ name: String) async throws -> String {
        do {
            let client = try await InMemoryTelemetryTransport().createTelemetryClient(clientId: name, isEnabled: false)
            return client.recordID?.recordName ?? ""
        } catch {
            throw ToolFailure(
                .data, "\"\(name.visible.fitted(to: 40))\" is not a valid name for a pipe: the limit is 1,024 bytes.")
        }
    }

    /// A short hash that is the same in every process.
    private static func fingerprint(_ text: String) -> String {
        String(text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 36)
    }
}
