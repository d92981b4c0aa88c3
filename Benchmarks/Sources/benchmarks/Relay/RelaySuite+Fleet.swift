import Foundation
import Measure
import Programs
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport

extension RelaySuite {
    private static let hostCount = 500

    /// Streams that are open, hosts that append once a second, and a viewer that follows all of them and misses nothing.
    func fleet(for seconds: Int) async throws {
        let (streamCount, hostCount) = scale.quick ? (50, 10) : (Self.streamCount, Self.hostCount)
        let relay = try await RelayServer.start(executable)
        let streams = try OpenStreams(streamCount, at: relay)
        let hosts = FleetHosts(hostCount, at: relay)
        let viewer = relay.viewer()
        let follower = Task { try await Self.follow(viewer, hosts: hostCount, each: seconds * FleetHosts.batch) }
        defer { follower.cancel() }
        let memory = Task { await Self.memory(of: relay.process) }
        let processor = relay.process.processorSeconds
        var latencies = Latencies()
        latencies.merge(try await hosts.append(for: seconds))
        let used = (relay.process.processorSeconds - processor) / Double(seconds)
        try await follower.value
        memory.cancel()
        let samples = await memory.value
        try await Self.notify(streams, viewer)
        try expect(streams.state.closed, 0)
        streams.close()
        var table = FigureTable(columns: Latencies.columns)
        table.add(latencies.row("append of \(FleetHosts.batch) events"))
        print(
            "### \(streamCount) open streams, \(hostCount) hosts that append once a second for \(seconds) s\n\n\(table.text())\n")
        print("- lost or doubled: none of \(hostCount * seconds * FleetHosts.batch) events; streams ended: none; notified: all")
        print("- the relay's processor time: \(ratio(used * 100)) % of a core")
        let start = samples[min(samples.count - 1, 6)]
        print("- resident memory: \(start >> 20) MiB after a minute, \((samples.last ?? 0) >> 20) MiB at the end")
        print(Self.verdict("resident memory", Double(samples.max() ?? 0) / 1e6, atMost: 200, " MB"))
        print(Self.verdict("append, p99", Double(latencies.percentile(99)) / 1e6, atMost: 50, " ms") + "\n")
    }

    /// Ends when every event of every host has come, in order.
    private static func follow(_ viewer: HTTPTelemetryTransport, hosts: Int, each: Int) async throws {
        var next: [String: UInt64] = [:]
        var rest = hosts * each
        for try await page in viewer.eventPages(limit: 1_000) {
            for event in page.events {
                let client = event.clientId ?? ""
                guard event.sequence == next[client, default: 0] else {
                    throw Miscount(description: "\(client): event \(event.sequence) came instead of \(next[client, default: 0])")
                }
                next[client] = event.sequence + 1
                rest -= 1
            }
            if rest == 0 { return }
        }
    }

    /// A sample every ten seconds.
    private static func memory(of process: RunningProgram) async -> [Int] {
        var samples: [Int] = []
        repeat {
            samples.append(process.residentBytes)
        } while (try? await Task.sleep(for: .seconds(10))) != nil
        samples.append(process.residentBytes)
        return samples
    }

    /// Saves a command for the client of each stream, and returns when each stream has its notification.
    private static func notify(_ streams: OpenStreams, _ viewer: HTTPTelemetryTransport) async throws {
        let commands = streams.clients.map { TelemetryCommandRecord(clientId: $0, action: .enable).toRecord() }
        _ = try await viewer.save(commands, policy: .insert)
        let isNotified = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                if streams.state.records.allSatisfy({ $0 > 0 }) { return true }
                for await _ in streams.changes where streams.state.records.allSatisfy({ $0 > 0 }) { return true }
                return false
            }
            group.addTask {
                try await Task.sleep(for: .seconds(30))
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() == true
        }
        guard isNotified, streams.state.records.allSatisfy({ $0 == 1 }) else {
            throw Miscount(description: "notifications were lost or doubled")
        }
    }
}
