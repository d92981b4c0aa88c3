import Foundation
import Measure
import TelemetryModels
import TelemetryTransport

/// Measures the latency from storing in one process to receiving in another. Both use the machine's monotonic clock.
struct FollowSuite {
    let scale: Scale

    func run() async throws {
        let count = scale.quick ? 20 : 1_000
        var table = FigureTable(columns: Latencies.columns)
        table.add(try await records(count: count).row("record saved → notification"))
        table.add(try await events(count: count).row("event appended → read from the stream"))
        print("### From one process to another, \(count) paced by \(Speaker.pace)\n\n\(table.text())\n")
    }

    /// Measures from just before the save in one process to the notification in another.
    private func records(count: Int) async throws -> Latencies {
        let scratch = try Scratch()
        let transport = try FileTelemetryTransport(directory: scratch.url)
        _ = try await transport.createScenarioSubscription()
        let notifications = transport.notifications()
        let speaker = try await Speaker(storing: .records, directory: scratch.url, count: count)
        var received: [String: UInt64] = [:]
        for await notification in notifications {
            let time = now()
            guard let name = notification.recordID?.recordName, received[name] == nil else { continue }
            received[name] = time
            if received.count == count { break }
        }
        var latencies = Latencies()
        for (name, said) in await speaker.times() {
            guard let time = received[name] else { throw Miscount(description: "\(name) was not received") }
            latencies.record(nanoseconds: time - said)
        }
        return latencies
    }

    /// Measures from just before the append in one process to the event in another.
    private func events(count: Int) async throws -> Latencies {
        let scratch = try Scratch()
        let transport = try FileTelemetryTransport(directory: scratch.url)
        let stream = transport.eventStream()
        let speaker = try await Speaker(storing: .events, directory: scratch.url, count: count)
        var received: [String: UInt64] = [:]
        for try await event in stream {
            received[event.eventId] = now()
            if received.count == count { break }
        }
        var latencies = Latencies()
        for (name, said) in await speaker.times() {
            guard let time = received[name] else { throw Miscount(description: "\(name) was not received") }
            latencies.record(nanoseconds: time - said)
        }
        return latencies
    }
}
