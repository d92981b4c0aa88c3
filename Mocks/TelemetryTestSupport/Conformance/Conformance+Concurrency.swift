import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let concurrencyChecks = [
        Check("A hundred concurrent writers lose no event, and a reader gets each event once") { bench in
            try await writersLoseNothing(bench, over: [bench.transport])
        },

        .acrossConnections("A hundred concurrent writers over two connections lose no event") { bench, other in
            try await writersLoseNothing(bench, over: [bench.transport, other])
        },

        Check("Of concurrent inserts of a record exactly one succeeds") { bench in
            try await oneInserts(bench, over: [bench.transport])
        },

        .acrossConnections("Of concurrent inserts of a record over two connections exactly one succeeds") {
            bench, other in
            try await oneInserts(bench, over: [bench.transport, other])
        },

        Check("Concurrent updates of one record are all applied") { bench in
            let transport = bench.transport
            _ = try await transport.save([Sample.record("counter", ["n": 0])], policy: .insert)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        // Reads, increments and saves; retries after a concurrent save.
                        for _ in 0..<10_000 {
                            guard var record = try await transport.record(withID: "counter") else { return }
                            record["n"] = .int((record["n"]?.intValue ?? 0) + 1)
                            do {
                                _ = try await transport.save([record], policy: .ifUnchanged)
                                return
                            } catch let error as TelemetryTransportError where error.code == .conflict {}
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await bench.expect("the count", transport.record(withID: "counter")?["n"], is: 20)
        },

        Check("A cancelled append stores each event at most once, and can be repeated") { bench in
            let transport = bench.transport
            for round in 0..<20 {
                let events = Sample.events(1...50, prefix: "\(round)-")
                let append = Task { try await transport.append(events) }
                append.cancel()
                let wasStored: Bool
                do {
                    try await append.value
                    wasStored = true
                } catch {
                    wasStored = false
                }
                let ids = events.map(\.eventId)
                let filter = TelemetryEventFilter(names: ["event"])
                let found = try await bench.identifiers(filter).filter { $0.hasPrefix("\(round)-") }
                if wasStored { try bench.expect("after an append that returned", found, is: ids) }
                try bench.expect("none is there twice", Set(found).count, is: found.count)
                try await transport.append(events)
                let repeated = try await bench.identifiers(filter).filter { $0.hasPrefix("\(round)-") }
                try bench.expect("after repeating it", Set(repeated), is: Set(ids))
                try bench.expect("none is there twice", repeated.count, is: ids.count)
            }
        },

        Check("A cancelled save stores the whole record or nothing") { bench in
            let transport = bench.transport
            for round in 0..<20 {
                let record = Sample.record(.init(recordName: "r\(round)"), ["a": 1, "b": "two", "c": true])
                let save = Task { try await transport.save([record], policy: .insert) }
                save.cancel()
                let saved = try? await save.value
                let stored = try await transport.record(withID: record.recordID)
                if saved != nil { try bench.expect("after a save that returned", stored, is: saved?.first) }
                if let stored { try bench.expect("the stored record's fields", stored.fields, is: record.fields) }
            }
        },
    ]

    private static func writersLoseNothing(_ bench: Bench, over connections: [any TelemetryTransporting]) async throws {
        let (writers, batches, size) = (100, 3, 4)
        let reading = Recorder(bench.transport.eventStream())
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    let connection = connections[writer % connections.count]
                    for batch in 0..<batches {
                        let events = (0..<size).map { index in
                            Sample.event("\(writer)-\(batch * size + index)", client: "c\(writer % 7)", session: "s\(writer)")
                        }
                        try await connection.append(events)
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = Set((0..<writers).flatMap { writer in (0..<batches * size).map { "\(writer)-\($0)" } })
        let stored = try await bench.identifiers()
        try bench.expect("how many events are stored", stored.count, is: expected.count)
        try bench.expect("the events", Set(stored), is: expected)
        for writer in [0, writers / 2, writers - 1] {
            try await bench.expect(
                "a writer's events, in its order", bench.identifiers(.init(sessionId: "s\(writer)")),
                is: (0..<batches * size).map { "\(writer)-\($0)" })
        }
        _ = try await bench.within("the last of the events in a stream that was read meanwhile") {
            try await reading.element(expected.count - 1)
        }
        var followed: [String] = []
        for index in 0..<expected.count { if let event = try await reading.element(index) { followed.append(event.eventId) } }
        try bench.expect("the events in a stream that was read meanwhile", Set(followed), is: expected)
    }

    private static func oneInserts(_ bench: Bench, over connections: [any TelemetryTransporting]) async throws {
        for round in 0..<10 {
            let id = TelemetryRecord.ID(recordName: "r\(round)")
            let winners = try await withThrowingTaskGroup(of: TelemetryRecord?.self) { group in
                for writer in 0..<10 {
                    group.addTask {
                        let record = Sample.record(id, ["writer": .int(Int64(writer))])
                        do {
                            return try await connections[writer % connections.count].save([record], policy: .insert).first
                        } catch let error as TelemetryTransportError where error.code == .conflict {
                            try bench.expect("the error's serverRecord", error.serverRecord?.recordID, is: id)
                            return nil
                        }
                    }
                }
                var winners: [TelemetryRecord] = []
                for try await winner in group { if let winner { winners.append(winner) } }
                return winners
            }
            try bench.expect("how many inserts succeeded", winners.count, is: 1)
            try await bench.expect("the stored record", bench.transport.record(withID: id), is: winners.first)
        }
    }
}
