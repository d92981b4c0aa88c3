import Foundation
import ViewerKit

/// The demo's relay: one database, two tokens, and a process that can be killed and restarted.
actor DemoRelay {
    private static let startTimeout = Duration.seconds(60)

    private let executable: URL
    private let database: URL
    private var process: RelayProcess?
    /// The relay's URL, which is the same after a restart.
    private(set) var url: URL?

    init(executable: URL, scratch: URL) {
        self.executable = executable
        database = scratch.appendingPathComponent("relay.sqlite")
    }

    /// Creates a token for the role, and stores it in a file that only its owner can read.
    func tokenFile(role: String, in scratch: URL) async throws -> RelayToken {
        let process = Process()
        process.executableURL = executable
        process.arguments = ["token", "create", "--role", role, "--name", "demo-\(role)", "--database", database.path]
        process.environment = RelayProcess.environment
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let (exits, exit) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in exit.finish() }
        try process.run()
        for await _ in exits {}
        // Both texts are far shorter than a pipe's capacity.
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let reason = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw ToolFailure(
                .failed, "The relay failed to create a token: \(reason.trimmingCharacters(in: .whitespacesAndNewlines).visible)")
        }
        let file = scratch.appendingPathComponent("\(role)-token")
        guard FileManager.default.createFile(atPath: file.path, contents: text, attributes: [.posixPermissions: 0o600]) else {
            throw ToolFailure(.cannotCreate, "Cannot write \(file.path.visible).")
        }
        return try RelayToken(file: file.path)
    }

    /// Starts the relay, after a restart on the same port. Returns the identifier of the process.
    @discardableResult
    func start() async throws -> Int32 {
        let port = url?.port ?? 0
        let started = try RelayProcess(
            executable, arguments: ["--host", "127.0.0.1", "--port", String(port), "--database", database.path])
        process = started
        url = try await expecting("the relay to answer", within: Self.startTimeout) { try await started.listening() }
        return started.identifier
    }

    /// Kills the relay, and returns the identifier of the process.
    func kill() async -> Int32? {
        guard let killed = process else { return nil }
        process = nil
        killed.kill()
        await killed.ended()
        return killed.identifier
    }

    /// Ends the relay if it is running.
    func end() async {
        guard let ending = process else { return }
        process = nil
        ending.terminate()
        do { try await expecting("the relay to end", within: .seconds(15)) { await ending.ended() } } catch {
            ending.kill()
            await ending.ended()
        }
    }
}
