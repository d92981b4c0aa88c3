import Foundation
import Programs
import ViewerKit

/// The demo's relay: one database, two tokens, and a process that can be killed and restarted.
actor DemoRelay {
    private static let startTimeout = Duration.seconds(60)
    /// The number of the newest lines in an error message.
    private static let quotedLines = 5

    private let executable: URL
    private let database: URL
    private var program: RunningProgram?
    /// The relay's URL, which is the same after a restart.
    private(set) var url: URL?

    init(executable: URL, scratch: URL) {
        self.executable = executable
        database = scratch.appendingPathComponent("relay.sqlite")
    }

    /// Creates a token for the role, and stores it in a file that only its owner can read.
    func tokenFile(role: String, in scratch: URL) async throws -> AccessToken {
        let creation = try await FinishedProgram.run(
            executable, ["token", "create", "--role", role, "--name", "demo-\(role)", "--database", database.path],
            environment: RelayProgram.environment)
        guard creation.end == .exited(0) else {
            let reason = creation.errors.trimmingCharacters(in: .whitespacesAndNewlines).visible
            throw ToolFailure(.failed, "The relay failed to create a token: \(reason)")
        }
        let file = scratch.appendingPathComponent("\(role)-token")
        let isCreated = FileManager.default.createFile(
            atPath: file.path, contents: Data(creation.output), attributes: [.posixPermissions: 0o600])
        guard isCreated else { throw ToolFailure(.cannotCreate, "Cannot write \(file.path.visible).") }
        return try AccessToken(file: file.path)
    }

    /// Starts the relay, after a restart on the same port. Returns the identifier of the process.
    @discardableResult
    func start() async throws -> Int32 {
        let port = url?.port ?? 0
        let started = try await RunningProgram.start(
            executable, ["--host", "127.0.0.1", "--port", String(port), "--database", database.path],
            environment: RelayProgram.environment)
        program = started
        url = try await expecting("the relay to answer", within: Self.startTimeout) { try await Self.address(of: started) }
        return started.identifier
    }

    /// Kills the relay, and returns the identifier of the process.
    func kill() async -> Int32? {
        guard let killed = program else { return nil }
        program = nil
        await killed.kill()
        return killed.identifier
    }

    /// Ends the relay if it is running.
    func end() async {
        guard let ending = program else { return }
        program = nil
        ending.send(SIGTERM)
        do { try await expecting("the relay to end", within: .seconds(15)) { _ = try await ending.end() } } catch {
            await ending.kill()
        }
    }

    /// Returns the URL that the relay logs when it is listening.
    /// - Throws: ``ViewerKit/ToolFailure`` if the relay ends first.
    private static func address(of relay: RunningProgram) async throws -> URL {
        var newest: [String] = []
        for await line in relay.errors {
            newest = newest.suffix(quotedLines - 1) + [line]
            if let url = RelayProgram.url(in: line) { return url }
        }
        try Task.checkCancellation()
        throw ToolFailure(
            .failed, "The relay ended early. \(newest.isEmpty ? "It gave no reason." : newest.joined(separator: " "))")
    }
}
