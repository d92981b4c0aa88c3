import ArgumentParser
import Foundation
import ViewerKit

struct CrashDemoCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-demo",
        abstract: "Crash a host whose scenario is off, and read afterwards what happened before.",
        usage: "telemetry crash-demo [FOLDER] [options]",
        discussion: """
            Starts the example host as a separate process, which reads the files of a folder. Its scenarios are off, and its \
            flight recorder keeps their last events. A rule with a trigger waits for an error. The host logs one and crashes by a \
            null pointer; no viewer acts. After a restart the store has the end of the session, its backtrace and the events \
            before it, which are compared with the host's own count. Exits with 1 if they differ.

            With --relay, host and viewer communicate over a relay, which is away when the host crashes.
            """)

    @OptionGroup var relay: DemoRelayOptions

    @Argument(help: "The folder to read. Default: the sources of LiveTelemetry.")
    var folder: String?

    func perform(_ console: Console) async throws {
        let folder = folder.map { URL(fileURLWithPath: $0).standardizedFileURL } ?? DemoCommand.ownSources
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw ToolFailure(.notFound, "No folder at \(folder.path.visible).")
        }
        // If the output is closed, the host and the scratch directory are removed before the process ends.
        signal(SIGPIPE, SIG_IGN)
        let interruption = SystemSignal.Interruption()
        console.onOutputLoss { _ in interruption.interrupt(SIGPIPE) }
        guard let number = try await play(folder, interruption, console) else { return }
        if number != SIGPIPE { console.note("telemetry: Interrupted; what ran was stopped and temporary files were removed.") }
        SystemSignal.end(by: number)
    }

    /// Returns the signal that interrupted the demo, after cleanup.
    private func play(_ folder: URL, _ interruption: SystemSignal.Interruption, _ console: Console) async throws -> Int32? {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("telemetry-crash-demo-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(
            at: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: scratch) }
        return try await SystemSignal.cancelling(interruption) {
            if relay.relay { return try await relay.withStore(in: scratch) { try await run(folder, $0, scratch, console) } }
            let store = try DemoStore.directory(StoreDirectory(path: scratch.appendingPathComponent("store").path)) {
                console.diagnose($0, isVerbose: false)
            }
            try await run(folder, store, scratch, console)
        }
    }

    private func run(_ folder: URL, _ store: DemoStore, _ scratch: URL, _ console: Console) async throws {
        try await CrashDemoRun(console: console, folder: folder, store: store, scratch: scratch).perform()
    }
}
