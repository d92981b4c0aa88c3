import Foundation
import ViewerKit

/// The example host, in a separate process.
final class HostProcess: Sendable {
    /// The host's reports; ends when the host does.
    let reports: AsyncStream<HostReport>
    var identifier: Int32 { process.processIdentifier }

    private let process: Process
    private let requests: FileHandle
    private let exits: AsyncStream<Void>

    /// Starts the host in the directory of this tool.
    init(arguments: [String]) throws {
        process = Process()
        process.executableURL = try Self.locate()
        process.arguments = arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        requests = input.fileHandleForWriting
        let (reports, continuation) = AsyncStream.makeStream(of: HostReport.self)
        self.reports = reports
        let (exits, exit) = AsyncStream.makeStream(of: Void.self)
        self.exits = exits
        process.terminationHandler = { _ in exit.finish() }
        try process.run()
        Self.read(output.fileHandleForReading, into: continuation)
    }

    func send(_ request: String) throws {
        do { try requests.write(contentsOf: Data("\(request)\n".utf8)) } catch {
            throw ToolFailure(.failed, "The host no longer reads its input.")
        }
    }

    /// The host's next report that satisfies the condition.
    func report(where isRight: (HostReport) -> Bool) async throws -> HostReport {
        var lastProblem: String?
        for await report in reports {
            if isRight(report) { return report }
            if report.report == "problem" { lastProblem = report.message }
        }
        try Task.checkCancellation()
        throw ToolFailure(.failed, "The host ended early. \(lastProblem ?? "See its message above.")")
    }

    /// Kills the host, without cleanup.
    func kill() { _ = SystemSignal.send(SIGKILL, to: identifier) }

    /// Waits for the host to end. Returns its exit code, or nil if a signal ended it.
    func ended() async -> Int32? {
        for await _ in exits {}
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    private static func read(_ handle: FileHandle, into continuation: AsyncStream<HostReport>.Continuation) {
        // Reading blocks, so it runs on a separate thread.
        let reader = Thread {
            var rest = Data()
            let decoder = JSONDecoder()
            while true {
                let piece = handle.availableData
                if piece.isEmpty { break }
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    if let report = try? decoder.decode(HostReport.self, from: rest[..<end]) { continuation.yield(report) }
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        reader.start()
    }

    private static func locate() throws -> URL {
        let tool = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        let host = tool.deletingLastPathComponent().appendingPathComponent("example-host")
        guard FileManager.default.isExecutableFile(atPath: host.path) else {
            throw ToolFailure(
                .notFound,
                "The example host is not in the directory of this tool. Start the demo with: swift run --package-path Tools telemetry demo"
            )
        }
        return host
    }
}
