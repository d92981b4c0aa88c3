import ArgumentParser
import Foundation
import ViewerKit

struct CrashDemoCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-demo",
        abstract: "Kill a host while its scenario is off, and capture its last events after a restart.",
        usage: "telemetry crash-demo [FOLDER]",
        discussion: """
            Starts the example host as a separate process, which reads the files of a folder. Its scenarios are off, and its \
            flight recorder keeps their last events. Kills the host with SIGKILL while it works, starts it again, captures the \
            events of its last seconds, and compares them with the host's own count. Exits with 1 if they differ.
            """)

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
        if number != SIGPIPE { console.note("telemetry: Interrupted; the host was stopped and temporary files were removed.") }
        SystemSignal.end(by: number)
    }

    /// Returns the signal that interrupted the demo, after cleanup.
    private func play(_ folder: URL, _ interruption: SystemSignal.Interruption, _ console: Console) async throws -> Int32? {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("telemetry-crash-demo-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(
            at: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: scratch) }
        let store = try DemoStore.directory(StoreDirectory(path: scratch.appendingPathComponent("store").path)) {
            console.diagnose($0, isVerbose: false)
        }
        let run = CrashDemoRun(console: console, folder: folder, store: store, scratch: scratch)
        return try await SystemSignal.cancelling(interruption) { try await run.perform() }
    }
}
