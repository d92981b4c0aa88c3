import ArgumentParser
import Foundation
import Measure
import Peers
import Programs
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// A separate process that accumulates events and prints their memory use.
struct Weigh: AsyncParsableCommand {
    enum Subject: String, ExpressibleByArgument { case logger, reference }

    static let configuration = CommandConfiguration(abstract: "The second process of the logger suite.", shouldDisplay: false)

    @Argument var subject: Subject
    @Option var events: Int

    /// Runs the process and returns the bytes per event.
    static func run(_ subject: Subject, events: Int) async throws -> Double {
        let text = try await output(of: ["weigh", subject.rawValue, "--events", String(events)])
        guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Miscount(description: "the memory of \(events) events could not be measured: \"\(text)\"")
        }
        return bytes
    }

    func run() async throws {
        switch subject {
        case .logger:
            // Not activated yet, so that all events are held.
            let logger = TelemetryLogger(configuration: .init(memoryLimit: 256 << 20), transport: NullTransport())
            await logger.updateScenarioStates(["NetworkRequests": true])
            weigh { Calls.string(logger, events) }
            try expect(Int(logger.statistics.waiting), events)
        case .reference:
            let logger = ReferenceLogger { _ in try? await Task.sleep(for: .seconds(3_600)) }
            logger.setScenarios(["NetworkRequests": true])
            weigh { Calls.reference(logger, events) }
        }
    }

    private func weigh(_ body: () -> Void) {
        let before = Process.residentBytes()
        body()
        print(Double(Process.residentBytes() - before) / Double(events))
    }

    private static func output(of arguments: [String]) async throws -> String {
        guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
        let program = try await FinishedProgram.run(executable, arguments)
        guard program.end == .exited(0) else { throw Miscount(description: "\(arguments): \(program.end) \(program.errors)") }
        return program.text
    }
}

extension Process {
    /// The resident memory of a process, by default of this one, in bytes; 0 if unavailable.
    static func residentBytes(of identifier: Int32 = getpid()) -> Int {
        let statm = (try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The number of this process's threads; 0 if unavailable.
    static var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }
}
