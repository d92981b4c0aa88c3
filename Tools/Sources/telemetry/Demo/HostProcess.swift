import Foundation
import Programs
import ViewerKit

/// The example host, in a separate process.
final class HostProcess: Sendable {
    private let program: RunningProgram

    private init(_ program: RunningProgram) { self.program = program }

    /// Starts the host in the directory of this tool.
    static func start(arguments: [String], environment: [String: String?] = [:]) async throws -> HostProcess {
        HostProcess(try await RunningProgram.start(try locate(), arguments, environment: environment))
    }

    var identifier: Int32 { program.identifier }

    func send(_ request: String) async throws {
        do { try await program.write("\(request)\n") } catch {
            throw ToolFailure(.failed, "The host no longer reads its input.")
        }
    }

    /// The host's next report that satisfies the condition.
    func report(where isRight: (HostReport) -> Bool) async throws -> HostReport {
        let decoder = JSONDecoder()
        var lastProblem: String?
        for await line in program.output {
            guard let report = try? decoder.decode(HostReport.self, from: Data(line.utf8)) else { continue }
            if isRight(report) { return report }
            if report.report == "problem" { lastProblem = report.message }
        }
        try Task.checkCancellation()
        let errors = await program.errors.reduce(into: []) { $0.append($1.visible) }
        let reason = lastProblem ?? (errors.isEmpty ? "It gave no reason." : errors.joined(separator: " "))
        throw ToolFailure(.failed, "The host ended early. \(reason)")
    }

    /// Kills the host, without cleanup, and waits for its end.
    func kill() async { await program.kill() }

    /// Waits for the host to end. Returns its exit code, or nil if a signal ended it.
    func ended() async throws -> Int32? { try await program.end().code }

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
