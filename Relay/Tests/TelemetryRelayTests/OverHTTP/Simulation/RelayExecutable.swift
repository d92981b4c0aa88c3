import Foundation
import Synchronization

/// The relay as a process with a database file. It can be killed at any time and started again.
final class RelayExecutable: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let database: URL
    private let running = Mutex<(process: Process, port: UInt16)?>(nil)

    init(database: URL) { self.database = database }

    deinit { kill() }

    /// The port; nil if no relay is running.
    var port: UInt16? { running.withLock { $0?.port } }

    /// Starts the relay, and returns once it is ready.
    func start() async throws {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = [
            "--port", "0", "--database", database.path, "--new-client-rate", "0", "--log-level", "info",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        try process.run()
        let handle = errors.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            // Reads to the end, so that the relay is never blocked.
            while case let piece = handle.availableData, !piece.isEmpty {
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        for await line in lines where line.contains("listening") {
            guard let match = line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/), let port = UInt16(match.1) else { continue }
            running.withLock { $0 = (process, port) }
            return
        }
        throw Failure(description: "the relay ended before it was ready")
    }

    /// Sends SIGKILL, so that the relay cannot clean up.
    func kill() {
        guard let process = running.withLock({ $0.take()?.process }) else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func executable() throws -> URL {
        var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let relay = folder.appending(path: "telemetry-relay")
            if FileManager.default.isExecutableFile(atPath: relay.path) { return relay }
        }
        throw Failure(description: "telemetry-relay was not built with the tests")
    }
}
