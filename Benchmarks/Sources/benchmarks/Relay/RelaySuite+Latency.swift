import Foundation
import Measure
import Programs
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport

extension RelaySuite {
    /// A host as another process, approved by a viewer.
    struct ApprovedHost: Sendable {
        let process: RunningProgram
        let client: String
        private let scratch: Scratch

        init(at relay: RelayServer, viewer: HTTPTelemetryTransport) async throws {
            guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
            scratch = try Scratch()
            process = try await RunningProgram.start(
                executable, ["relay-host", relay.url.absoluteString, scratch.url.path])
            client = String(try await process.line(with: "client ").dropFirst("client ".count))
            try await viewer.createCommand(.init(clientId: client, action: .enable))
            _ = try await process.line(with: "recording")
        }

        /// The time at the end of the next line with this text.
        func time(of text: String) async throws -> UInt64 {
            let line = try await process.line(with: text)
            guard let time = line.split(separator: " ").last.flatMap({ UInt64($0) }) else {
                throw Miscount(description: "a line without a time: \(line)")
            }
            return time
        }
    }

    /// Longer than a host pauses between looks that notifications ask for, and the look at the command's end.
    private static let commandPace = Duration.milliseconds(250)
    private static let eventPace = Duration.milliseconds(20)

    /// Relay, host and viewer are three processes; the clock is the machine's.
    func latency() async throws {
        let relay = try await RelayServer.start(executable)
        let viewer = relay.viewer()
        let host = try await ApprovedHost(at: relay, viewer: viewer)
        let count = scale.quick ? 10 : 1_000
        let commands = try await commands(count / 5, from: viewer, to: host)
        let events = try await events(count, from: host, to: viewer)
        var table = FigureTable(columns: Latencies.columns)
        table.add(commands.row("command saved by the viewer → the host's gate open"))
        table.add(events.row("event flushed by the host → read by a follower"))
        print(
            "### Over the relay, commands paced by \(Self.commandPace), events by \(Self.eventPace)\n\n\(table.text())\n")
        for (name, latencies) in [("gate open", commands), ("event read", events)] {
            for (percentile, aim) in [(50.0, 5.0), (99, 25)] {
                let value = Double(latencies.percentile(percentile)) / 1e6
                print(Self.verdict("\(name), p\(Int(percentile))", value, atMost: aim, " ms"))
            }
        }
        print()
    }

    /// From just before the viewer saves a command to when the host logs.
    private func commands(_ count: Int, from viewer: HTTPTelemetryTransport, to host: ApprovedHost) async throws -> Latencies {
        var latencies = Latencies()
        for index in -2..<count {
            let start = now()
            try await viewer.createCommand(
                .init(clientId: host.client, action: .enableScenario, scenarioName: RelayHost.scenario))
            let opened = try await host.time(of: "gate open")
            // The first ones open connections.
            if index >= 0 { latencies.record(nanoseconds: opened - start) }
            try await Task.sleep(for: Self.commandPace)
            try await viewer.createCommand(
                .init(clientId: host.client, action: .disableScenario, scenarioName: RelayHost.scenario))
            _ = try await host.time(of: "gate closed")
            try await Task.sleep(for: Self.commandPace)
        }
        try await viewer.createCommand(
            .init(clientId: host.client, action: .enableScenario, scenarioName: RelayHost.scenario))
        _ = try await host.time(of: "gate open")
        return latencies
    }

    /// From just before the host logs and flushes to when the follower has the event.
    private func events(_ count: Int, from host: ApprovedHost, to viewer: HTTPTelemetryTransport) async throws -> Latencies {
        var latencies = Latencies()
        var arrivals = viewer.eventStream(matching: .init(clientId: host.client)).makeAsyncIterator()
        for index in -10..<count {
            let name = "event\(index)"
            try await host.process.write("\(name)\n")
            while try await arrivals.next()?.name != name {}
            let arrived = now()
            let started = try await host.time(of: "flushed \(name) ")
            if index >= 0 { latencies.record(nanoseconds: arrived - started) }
            try await Task.sleep(for: Self.eventPace)
        }
        return latencies
    }
}
