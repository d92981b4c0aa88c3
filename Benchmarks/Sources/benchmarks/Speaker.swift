import ArgumentParser
import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

/// A process of its own that stores something now and then and says when it began to.
struct Speaker {
    enum Topic: String, ExpressibleByArgument { case records, events }

    static let pace = Duration.milliseconds(4)

    private let process = Process()
    private let output = Pipe()

    init(saying topic: Topic, directory: URL, count: Int) throws {
        guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
        process.executableURL = executable
        process.arguments = ["speak", topic.rawValue, directory.path, "--count", String(count)]
        process.standardOutput = output
        try process.run()
    }

    /// What was said and when, once the process has ended.
    func times() throws -> [(name: String, time: UInt64)] {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? UInt64(words[1]).map { (String(words[0]), $0) } : nil
        }
    }
}

/// What the process does.
struct Speak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The other process of the suite follow.", shouldDisplay: false)

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
        // All at the end: the pipe is read when the events have been.
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
