import Foundation
import Programs
import Synchronization

/// The relay as a process with a database file. It can be killed at any time and started again.
final class RestartableRelay: Sendable {
    struct EndedEarly: Error {}

    private let database: URL
    private let running = Mutex<(program: RunningProgram, port: UInt16)?>(nil)

    init(database: URL) { self.database = database }

    /// The port; nil if no relay is running.
    var port: UInt16? { running.withLock { $0?.port } }

    /// Starts the relay, and returns once it is ready.
    func start() async throws {
        let program = try await RunningProgram.start(
            BuiltProgram.url("telemetry-relay"),
            ["--port", "0", "--database", database.path, "--new-client-rate", "0", "--log-level", "info"])
        for await line in program.errors where line.contains("listening") {
            guard let match = line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/), let port = UInt16(match.1) else { continue }
            running.withLock { $0 = (program, port) }
            return
        }
        throw EndedEarly()
    }

    /// Kills the relay, so that it cannot clean up.
    func kill() async { await running.withLock { $0.take()?.program }?.kill() }
}
