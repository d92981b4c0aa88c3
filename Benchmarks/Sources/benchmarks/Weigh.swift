import ArgumentParser
import Foundation
import Measure
import Peers
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// A process of its own that lets events pile up and says what they take.
struct Weigh: AsyncParsableCommand {
    enum Subject: String, ExpressibleByArgument { case logger, reference }

    static let configuration = CommandConfiguration(abstract: "The other process of the suite logger.", shouldDisplay: false)

    @Argument var subject: Subject
    @Option var events: Int

    /// Bytes per event.
    static func run(_ subject: Subject, events: Int) throws -> Double {
        let text = try Self.output(of: ["weigh", subject.rawValue, "--events", String(events)])
        guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Miscount(description: "a process was to say what \(events) events take, and said \"\(text)\"")
        }
        return bytes
    }

    func run() async throws {
        switch subject {
        case .logger:
            // Not activated yet: everything is held.
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
        let before = Process.residentBytes
        body()
        print(Double(Process.residentBytes - before) / Double(events))
    }

    private static func output(of arguments: [String]) throws -> String {
        guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

extension Process {
    /// This process's resident memory; 0 where the system does not tell.
    static var residentBytes: Int {
        let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// This process's threads; 0 where the system does not tell.
    static var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }
}
