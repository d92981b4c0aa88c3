import Foundation
import Measure
import TelemetryModels
import TelemetryTransport

/// How soon another process hears of what one process stored. The clock is the machine's, the same for both.
struct FollowSuite {
    let scale: Scale

    func run() async throws {
        let count = scale.quick ? 20 : 1_000
        var table = Table(columns: Latencies.columns)
        table.add(try await records(count: count).row("record saved → notification"))
        table.add(try await events(count: count).row("event appended → read from the stream"))
        print("### From one process to another, \(count) paced by \(Speaker.pace)\n\n\(table.text())\n")
    }

    /// From just before the save in one process to the notification in another.
    private func records(count: Int) async throws -> Latencies {
        let scratch = try Scratch()
        let transport = try FileTelemetryTransport(directory: scratch.url)
        _ = try await transport.createScenarioSubscription()
        let notifications = transport.notifications()
        let speaker = try Speaker(saying: .records, directory: scratch.url, count: count)
        var heard: [String: UInt64] = [:]
        for await notification in notifications {
            let time = now()
            guard let name = notification.recordID?.recordName, heard[name] == nil else { continue }
            heard[name] = time
            if heard.count == count { break }
        }
        var latencies = Latencies()
        for (name, said) in try speaker.times() {
            guard let time = heard[name] else { throw Miscount(description: "nothing was heard of \(name)") }
            latencies.record(nanoseconds: time - said)
        }
        return latencies
    }

    /// From just before the append in one process to the event in another.
    private func events(count: Int) async throws -> Latencies {
        let scratch = try Scratch()
        let transport = try FileTelemetryTransport(directory: scratch.url)
        let stream = transport.eventStream()
        let speaker = try Speaker(saying: .events, directory: scratch.url, count: count)
        var heard: [String: UInt64] = [:]
        for try await event in stream {
            heard[event.eventId] = now()
            if heard.count == count { break }
        }
        var latencies = Latencies()
        for (name, said) in try speaker.times() {
            guard let time = heard[name] else { throw Miscount(description: "nothing was heard of \(name)") }
            latencies.record(nanoseconds: time - said)
        }
        return latencies
    }
}
