import Foundation
import TelemetryModels
import TelemetryTransport

/// Appends events to a store and reports it, line by line, until it is killed by the kill test.
///
/// `TelemetryCrashWriter DIRECTORY CLIENT SESSION FIRST process|system SEED`: begins with the event numbered FIRST and prints the
/// number of the last event of each batch after `append` has returned, `record NAME` for each saved record, and `failed: …` if a
/// call throws, which is a test failure.
@main
enum CrashWriter {
    static func main() async {
        do { try await write() } catch { say("failed: \(error)") }
    }

    private static func write() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, var next = UInt64(arguments[4]), let seed = UInt64(arguments[6]) else { exit(64) }
        let (client, session) = (arguments[2], arguments[3])
        var configuration = FileTelemetryTransport.Configuration.default
        configuration.durability = arguments[5] == "system" ? .system : .process
        // Small files, so that a process is often killed while it begins the next one.
        configuration.segmentBytes = 4_000
        configuration.journalBytes = 3_000
        let transport = try FileTelemetryTransport(directory: URL(filePath: arguments[1]), configuration: configuration)
        var random = LinearGenerator(state: seed)
        while true {
            let count = random.next() % 20 + 1
            let batch = (next..<next + count).map {
                TelemetryEvent(
                    clientId: client, sessionId: session, sequence: $0, name: "event \($0)",
                    property1: String(repeating: "x", count: Int(random.next() % 200)))
            }
            try await transport.append(batch.map { named($0, "\(session)-\($0.sequence)") })
            next += count
            say("\(next - 1)")
            if count == 7 {
                // The last writer may have saved it and been killed before it reported it.
                let record = TelemetryRecord(recordType: "TelemetryScenario", recordID: .init(recordName: "\(session)-\(next)"))
                _ = try await transport.save([record], policy: .overwrite)
                say("record \(session)-\(next)")
            }
        }
    }

    private static func named(_ event: TelemetryEvent, _ eventId: String) -> TelemetryEvent {
        TelemetryEvent(
            eventId: eventId, clientId: event.clientId, sessionId: event.sessionId, sequence: event.sequence,
            name: event.name, timestamp: event.timestamp, property1: event.property1)
    }

    /// One call, so that a line is printed completely or not at all.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// Knuth's MMIX generator: the same numbers for the same seed, on every platform.
struct LinearGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
