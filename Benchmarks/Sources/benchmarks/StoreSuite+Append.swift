import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

extension StoreSuite {
    func appending(batch: Int) -> Comparison {
        let events = SampleEvents.make(count(batch: batch))
        let batches = Self.batches(of: events, size: batch)
        let lines = batches.map(Self.leanLines)
        let aims: [Comparison.Aim] =
            switch batch {
            case 10: [.of("file transport", atMost: 0.07, times: "GRDB, NORMAL")]
            case 50:
                [
                    .of("file transport", atMost: 0.05, times: "GRDB, NORMAL"),
                    .of("file transport", atMost: 4, times: "write(2)"),
                ]
            default: []
            }
        return Comparison(
            "Append, batches of \(batch), per event", rounds: scale.effectiveRounds,
            contenders: [
                Contender("file transport", operations: events.count) { directory in
                    try FileTelemetryTransport(directory: directory)
                } round: { transport in
                    for batch in batches { try await transport.append(batch) }
                },
                Contender("file transport, .system", operations: events.count) { directory in
                    try FileTelemetryTransport(directory: directory, configuration: Self.durable)
                } round: { transport in
                    for batch in batches { try await transport.append(batch) }
                },
                Contender("write(2)", operations: events.count) { directory in
                    try RawFile(directory: directory)
                } round: { file in
                    for bytes in lines { try file.append(bytes) }
                },
                database("GRDB, NORMAL", .normal, events, batch: batch),
                database("GRDB, FULL", .full, events, batch: batch),
            ], aims: aims)
    }

    private static var durable: FileTelemetryTransport.Configuration {
        var configuration = FileTelemetryTransport.Configuration.default
        configuration.durability = .system
        return configuration
    }

    private func database(
        _ name: String, _ synchronous: SQLitePeer.Synchronous, _ events: [TelemetryEvent], batch: Int
    ) -> Contender {
        Contender(name, operations: events.count) { directory in
            try SQLitePeer(directory: directory, synchronous: synchronous)
        } round: { store in
            for start in stride(from: 0, to: events.count, by: batch) { try store.append(events[start..<start + batch]) }
        }
    }

    /// The input of the bare system call: complete lines of about the length that the file transport writes.
    static func leanLines(_ events: [TelemetryEvent]) -> [UInt8] {
        var text = ""
        for event in events {
            let time = event.timestamp.formatted(.iso8601.time(includingFractionalSeconds: true))
            text +=
                "{\"seq\":\(event.sequence),\"time\":\"\(time)\",\"name\":\"\(event.name)\",\"property1\":\"\(event.property1 ?? "")\"}\n"
        }
        return Array(text.utf8)
    }
}
