import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let streamChecks = [
        Check("An event stream returns stored events, then new ones") { bench in
            try await bench.transport.append(Sample.events(1...5))
            let events = Recorder(bench.transport.eventStream())
            try await expect((1...5).map { "e\($0)" }, from: events, bench)
            // Few rounds: a store that notices arrivals only once a second takes a second for each.
            for index in 6...8 {
                try await bench.transport.append([Sample.event("e\(index)")])
                try await expect(["e\(index)"], at: index - 1, from: events, bench)
            }
        },

        Check("An event stream begins after its cursor and applies its filter") { bench in
            try await bench.transport.append(Sample.events(1...3, client: "a", prefix: "a"))
            let cursor = try await bench.transport.events(matching: .all, after: nil, limit: 2).cursor
            let events = Recorder(bench.transport.eventStream(matching: .init(clientId: "a"), after: cursor))
            try await expect(["a3"], from: events, bench)
            try await bench.transport.append(Sample.events(1...3, client: "b", prefix: "b"))
            try await bench.transport.append(Sample.events(4...4, client: "a", prefix: "a"))
            try await expect(["a3", "a4"], from: events, bench)
        },

        .acrossConnections("An event stream returns events that other connections append") { bench, other in
            try await other.append(Sample.events(1...2))
            let events = Recorder(bench.transport.eventStream())
            try await expect(["e1", "e2"], from: events, bench)
            for index in 3...6 {
                try await other.append([Sample.event("e\(index)")])
                try await expect(["e\(index)"], at: index - 1, from: events, bench)
            }
        },

        Check("Each event stream returns every event") { bench in
            let (first, second) = (Recorder(bench.transport.eventStream()), Recorder(bench.transport.eventStream()))
            try await bench.transport.append(Sample.events(1...50))
            for events in [first, second] { try await expect((1...50).map { "e\($0)" }, from: events, bench) }
        },

        Check("An event stream ends when its consumer is cancelled, and the transport stays usable") { bench in
            let transport = bench.transport
            try await transport.append(Sample.events(1...2))
            let progress = CallLog<Progress>()
            let consumer = Task {
                do {
                    for try await event in transport.eventStream() { progress.append(.read(event.eventId)) }
                } catch is CancellationError {} catch { progress.append(.failed("\(error)")) }
                progress.append(.ended)
            }
            // Waits for the consumer's progress, not for the consumer: one that never ends must be reported.
            for expected in [Progress.read("e2"), .ended] {
                _ = try await bench.within("\(expected) of a stream that is read and then cancelled") {
                    await progress.wait { $0.contains(expected) }
                    return progress.calls.contains(expected) ? true : nil
                }
                consumer.cancel()
            }
            try bench.expect("what the consumer saw", progress.calls, is: [.read("e1"), .read("e2"), .ended])
            try await transport.append(Sample.events(3...3))
            try await bench.expect("events", bench.identifiers(), is: ["e1", "e2", "e3"])
        },
    ]

    private enum Progress: Sendable, Equatable {
        case read(String)
        case failed(String)
        case ended
    }

    private static func expect(
        _ ids: [String], at start: Int = 0, from events: Recorder<TelemetryEvent>, _ bench: Bench
    ) async throws {
        for (offset, id) in ids.enumerated() {
            let event = try await bench.within("the stream's event \(id)") { try await events.element(start + offset) }
            try bench.expect("the stream's event number \(start + offset + 1)", event.eventId, is: id)
        }
    }
}
