import ArgumentParser
import Foundation
import ViewerKit

struct DemoCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See it all at work: a host on real files, a viewer, and what passes between them.",
        usage: "telemetry demo [FOLDER] [options]",
        discussion: """
            Starts the example host as a process of its own, which reads and hashes every file of a folder or replays a log \
            file. Asks, approves, turns scenarios on and off, kills the host in the middle and starts it again; then holds \
            what the host says it logged against what arrived. Exits with 1 where the two differ.

            Examples:
              telemetry demo /usr/share/doc
              telemetry demo --input /var/log/dpkg.log
            """)

    @Option(help: "Replay this log file, a line an event, instead of reading a folder.")
    var input: String?

    @Option(help: "With --input: which word of a line is its scenario, the first being 1; found out unless given.")
    var field: Int?

    @Option(name: [.customShort("d"), .long], help: "Use this directory as the store and keep it; a temporary one unless given.")
    var directory: String?

    @Argument(help: "The folder to read; LiveTelemetry's own sources unless given.")
    var folder: String?

    func validate() throws {
        if folder != nil, input != nil { throw ValidationError("Give a folder or --input, not both.") }
        if let field, field < 1 || input == nil { throw ValidationError("--field goes with --input, and counts from 1.") }
    }

    func perform(_ console: Console) async throws {
        let work = try work()
        // Where nobody reads any more, the host and the scratch directory go before the process does.
        signal(SIGPIPE, SIG_IGN)
        let interruption = SystemSignal.Interruption()
        console.onOutputLoss { _ in interruption.interrupt(SIGPIPE) }
        guard let number = try await play(work, interruption, console) else { return }
        if number != SIGPIPE { console.note("telemetry: Interrupted; the host was stopped, and nothing of the demo is left.") }
        SystemSignal.end(by: number)
    }

    /// Returns the signal that interrupted it, when nothing is left to tidy up.
    private func play(
        _ work: DemoWork, _ interruption: SystemSignal.Interruption, _ console: Console
    ) async throws -> Int32? {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("telemetry-demo-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let store = StoreDirectory(path: directory ?? scratch.appendingPathComponent("store").path)
        let run = DemoRun(
            console: console, work: work, store: store.url,
            transport: try store.openOrCreate { console.diagnose($0, isVerbose: false) }, scratch: scratch)
        let number = try await SystemSignal.cancelling(interruption) { try await run.perform() }
        if directory != nil { console.line("\nThe store is kept in \(store.url.path.visible).") }
        return number
    }

    /// What the host is to work on, checked here so that a wrong name is told in a sentence.
    private func work() throws -> DemoWork {
        if let input {
            let url = URL(fileURLWithPath: input)
            guard kind(of: url) == .typeRegular else { throw ToolFailure(.notFound, "There is no file at \(url.path.visible).") }
            guard FileManager.default.isReadableFile(atPath: url.path) else {
                throw ToolFailure(.noPermission, "The file \(url.path.visible) cannot be read.")
            }
            return .replay(url, field: field)
        }
        let url = folder.map { URL(fileURLWithPath: $0).standardizedFileURL } ?? Self.ownSources
        guard kind(of: url) == .typeDirectory else { throw ToolFailure(.notFound, "There is no folder at \(url.path.visible).") }
        return .folder(url)
    }

    private func kind(of url: URL) -> FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType
    }

    /// The sources that this tool was built from or, where they are gone, the current folder.
    private static var ownSources: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let sources = root.appendingPathComponent("Sources")
        return FileManager.default.fileExists(atPath: sources.path)
            ? sources : URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    }
}

/// What the host of a demo works on.
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
