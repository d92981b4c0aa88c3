import TelemetryLogging
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let batchChecks = [
        Check("A logger's batches are stored like the events that they consist of") { bench in
            let batches = await LoggedBatches.make(clientId: "client", logSamples)
            for batch in batches { try await bench.transport.append(batch) }
            let expected = batches.flatMap(\.events)
            try bench.expect("how many batches", batches.count > 1, is: true)
            let events = try await bench.readAll().events
            try bench.expect("how many events", events.count, is: expected.count)
            for (event, other) in zip(events, expected) { try bench.expect("the event", event, is: other) }
            let filter = TelemetryEventFilter(scenarios: ["one"])
            try await bench.expect(
                "events of a scenario", bench.readAll(filter).events.map(\.eventId),
                is: expected.filter { $0.scenario == "one" }.map(\.eventId))
        },

        Check("A batch and its events are the same events, however often and in whichever parts they are appended") { bench in
            let batch = try bench.require(
                await LoggedBatches.make(clientId: "client") { logger in
                    for index in 1...20 { logger.logEvent(name: "event \(index)") }
                }.first, "The logger sent no batch.")
            try await bench.transport.append(batch[5..<12])
            try await bench.transport.append(batch)
            try await bench.transport.append(batch.events)
            try await bench.transport.append(batch[18..<20])
            let expected = batch[5..<12].events + batch[0..<5].events + batch[12..<20].events
            try await bench.expect("events", bench.readAll().events, is: expected)
        },

        Check("A batch may have events of several clients") { bench in
            let events = [Sample.event("a", client: "A"), Sample.event("b", client: "B"), Sample.event("c", client: "A")]
            try await bench.transport.append(TelemetryEventBatch(events))
            try await bench.expect("events", bench.readAll().events, is: events)
        },
    ]

    /// Logs more events than one batch has, of every kind.
    @Sendable
    private static func logSamples(_ logger: TelemetryLogger) {
        let text = "\u{0}\n\r\t\"\\/ {}[],: déjà 👩‍👩‍👧 \u{2028}\u{feff}\u{10ffff}"
        for index in 0..<500 {
            switch index % 5 {
            case 0: logger.logEvent(name: "plain")
            case 1: logger.logEvent(name: "name \(text)", scenario: "one", level: .diagnostic, property1: "\(index) \(text)")
            case 2: logger.logEvent(name: "", scenario: "two", property1: "")
            case 3:
                logger.logEvent(
                    name: "with attributes", scenario: "one",
                    attributes: [
                        "text": .string(text), "empty": "", "whole": .int(.min), "flag": true, "fraction": 0.1,
                        "date": .date(TelemetryFixtures.date), "key \(text)": .double(1e300),
                    ])
            default: logger.logEvent(name: "a longer text", scenario: "two", property1: String(repeating: "text ", count: index))
            }
        }
    }
}
