import ArgumentParser
import Foundation
import Measure
import Peers
import Programs
import TelemetryModels
import TelemetryTransport

/// A separate process that stores items at a fixed interval and reports when it began to store each one.
struct Speaker {
    enum Topic: String, ExpressibleByArgument { case records, events }

    static let pace = Duration.milliseconds(4)

    private let program: RunningProgram

    init(storing topic: Topic, directory: URL, count: Int) async throws {
        guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
        program = try await RunningProgram.start(
            executable, ["speak", topic.rawValue, directory.path, "--count", String(count)])
    }

    /// The names of the stored items and their start times. Waits until the process has ended.
    func times() async -> [(name: String, time: UInt64)] {
        await program.output.reduce(into: []) { times, line in
            let words = line.split(separator: " ")
            if words.count == 2, let time = UInt64(words[1]) { times.append((String(words[0]), time)) }
        }
    }
}

/// The command that this process runs.
struct Speak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The second process of the follow suite.", shouldDisplay: false)

    @Argument var topic: Speaker.Topic
    @Argument var directory: String
    @Option var count: Int

    func run() async throws {
        let transport = try FileTelemetryTransport(directory: URL(fileURLWithPath: directory))
        var lines = ""
        for index in 0..<count {
            try await Task.sleep(for: Speaker.pace)
            let said: (name: String, time: UInt64)
            switch topic {
            case .records: said = try await save(index, in: transport)
            case .events: said = try await append(index, to: transport)
            }
            lines += "\(said.name) \(said.time)\n"
        }
        // Written at the end, because the pipe is read after the events.
        FileHandle.standardOutput.write(Data(lines.utf8))
    }

    private func save(_ index: Int, in transport: FileTelemetryTransport) async throws -> (name: String, time: UInt64) {
        let id = TelemetryRecord.ID(recordName: "scenario-\(index)")
        let scenario = TelemetryScenarioRecord(
            recordID: id, clientId: "speaker", scenarioName: "Scenario\(index)", isEnabled: true)
        let time = now()
        _ = try await transport.save([scenario.toRecord()], policy: .insert)
        return (id.recordName, time)
    }

    private func append(_ index: Int, to transport: FileTelemetryTransport) async throws -> (name: String, time: UInt64) {
        let events = SampleEvents.make(1, from: UInt64(index))
        let time = now()
        try await transport.append(events)
        return (events[0].eventId, time)
    }
}
