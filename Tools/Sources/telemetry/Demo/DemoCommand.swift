import ArgumentParser
import Foundation
import ViewerKit

struct DemoCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a host and a viewer, and verify that no event is lost.",
        usage: "telemetry demo [FOLDER] [options]",
        discussion: """
            Starts the example host as a separate process, which reads and hashes the files of a folder or replays a log \
            file. Approves it, enables and disables its scenarios, kills and restarts it, and then compares the events that \
            the host logged with those that arrived. Exits with 1 if they differ.

            With --relay, host and viewer communicate over a relay, a third process with a separate database, which is \
            killed while the host logs, and restarted.

            Examples:
              telemetry demo /usr/share/doc
              telemetry demo --input /var/log/dpkg.log
              telemetry demo --relay
            """)

    @Option(help: "Replay this log file, one event per line, instead of reading a folder.")
    var input: String?

    @Option(help: "With --input: the number of the word that is a line's scenario, from 1. Default: detected.")
    var field: Int?

    @Option(
        name: [.customShort("d"), .long], help: "Use this directory as the store and keep it. Default: a temporary directory.")
    var directory: String?

    @OptionGroup var relay: DemoRelayOptions

    @Argument(help: "The folder to read. Default: the sources of LiveTelemetry.")
    var folder: String?

    func validate() throws {
        if folder != nil, input != nil { throw ValidationError("Give a folder or --input, not both.") }
        if relay.relay, directory != nil { throw ValidationError("Give --relay or --directory, not both.") }
        if let field, field < 1 || input == nil { throw ValidationError("--field requires --input, and counts from 1.") }
    }

    func perform(_ console: Console) async throws {
        let work = try work()
        // If the output is closed, the host and the scratch directory are removed before the process ends.
        signal(SIGPIPE, SIG_IGN)
        let interruption = SystemSignal.Interruption()
        console.onOutputLoss { _ in interruption.interrupt(SIGPIPE) }
        guard let number = try await play(work, interruption, console) else { return }
        if number != SIGPIPE {
            let what = relay.relay ? "the host and the relay were" : "the host was"
            console.note("telemetry: Interrupted; \(what) stopped and temporary files were removed.")
        }
        SystemSignal.end(by: number)
    }

    /// Returns the signal that interrupted the demo, after cleanup.
    private func play(
        _ work: DemoWork, _ interruption: SystemSignal.Interruption, _ console: Console
    ) async throws -> Int32? {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("telemetry-demo-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(
            at: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: scratch) }
        if relay.relay {
            return try await SystemSignal.cancelling(interruption) {
                try await relay.withStore(in: scratch) { store in
                    try await DemoRun(console: console, work: work, store: store, scratch: scratch).perform()
                }
            }
        }
        let chosen = StoreDirectory(path: directory ?? scratch.appendingPathComponent("store").path)
        let store = try DemoStore.directory(chosen) { console.diagnose($0, isVerbose: false) }
        let run = DemoRun(console: console, work: work, store: store, scratch: scratch)
        let number = try await SystemSignal.cancelling(interruption) { try await run.perform() }
        if directory != nil { console.line("\nThe store is in \(chosen.url.path.visible).") }
        return number
    }

    /// The input for the host, checked here for a clear error message.
    private func work() throws -> DemoWork {
        if let input {
            let url = URL(fileURLWithPath: input)
            guard kind(of: url) == .typeRegular else { throw ToolFailure(.notFound, "No file at \(url.path.visible).") }
            guard FileManager.default.isReadableFile(atPath: url.path) else {
                throw ToolFailure(.noPermission, "Cannot read \(url.path.visible): permission denied.")
            }
            return .replay(url, field: field)
        }
        let url = folder.map { URL(fileURLWithPath: $0).standardizedFileURL } ?? Self.ownSources
        guard kind(of: url) == .typeDirectory else { throw ToolFailure(.notFound, "No folder at \(url.path.visible).") }
        return .folder(url)
    }

    private func kind(of url: URL) -> FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType
    }

    /// The sources that this tool was built from or, if they are missing, the current folder.
    static var ownSources: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let sources = root.appendingPathComponent("Sources")
        return FileManager.default.fileExists(atPath: sources.path)
            ? sources : URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    }
}

/// The input of the demo's host.
enum DemoWork: Sendable {
    case folder(URL)
    case replay(URL, field: Int?)

    var arguments: [String] {
        switch self {
        case .folder(let url): [url.path]
        case .replay(let url, let field): ["--input", url.path] + (field.map { ["--field", String($0)] } ?? [])
        }
    }

    var name: String {
        switch self {
        case .folder(let url), .replay(let url, _): url.path.visible
        }
    }

    var unit: String {
        switch self {
        case .folder: "files"
        case .replay: "lines"
        }
    }
}
