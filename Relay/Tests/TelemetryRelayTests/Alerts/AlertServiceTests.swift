import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// The evaluation of alerts in every kind of database, up to the messages that wait.
struct AlertServiceTests {
    private let time = TestTime()

    private func service(_ storage: any RelayStorage, hasSamples: Bool = true) -> AlertService {
        let clients = KnownClients(storage: storage.records)
        return AlertService(
            storage: storage, clients: clients, messages: AlertMessages(page: "https://relay.test", hasSamples: hasSamples),
            silences: SilenceWatch(
                alerts: storage.alerts, clients: clients, sightings: ClientSightings { [] }, uptime: { [time] in time.uptime }),
            logger: Bench.logger(), now: { [time] in time.now })
    }

    private static func event(
        _ number: Int, client: String = "c", name: String = "n", scenario: String? = nil, text: String? = nil
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e\(number)", clientId: client, sessionId: "s", name: name, timestamp: TestTime().now,
            threadId: "t", property1: text, scenario: scenario)
    }

    private static func watched(_ alert: RelayAlert) throws -> RelayWatchedAlert {
        let condition = try #require(alert.events)
        return RelayWatchedAlert(alert: alert, condition: condition, filter: RelayEventFilter(query: condition.query))
    }

    private func save(
        _ name: String, _ query: String, count: Int = 1, within: Int = 60, quiet: Int = 3_600, scope: RelayScope? = nil,
        isEnabled: Bool = true, in storage: any RelayStorage
    ) async throws {
        var alert = RelayAlert(
            name: name, condition: .events(.init(query: try TelemetryQuery(query), count: count, within: within)),
            webhook: "hook", quiet: quiet, isEnabled: isEnabled)
        (alert.owner, alert.scope) = ("anna", scope)
        try await storage.alerts.save(alert, by: RelayActor(token: "anna", role: .viewer)) { [alert] _ in alert }
    }

    private func open(_ driver: StorageDriver, _ body: (any RelayStorage) async throws -> Void) async throws {
        try await StorageBench.open(driver, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            try await body(storage)
            #expect(try await storage.faults() == [])
        }
    }

    private func append(_ events: [TelemetryEvent], to storage: any RelayStorage) async throws {
        _ = try await storage.events.append(WireEventLines.read(EventLines.encode(events), limits: .init()))
    }

    /// The messages that wait: the alert, the count, and the names of the events.
    private func messages(_ storage: any RelayStorage) async throws -> [String] {
        var messages: [String] = []
        while let delivery = try await storage.webhooks.take(of: nil).first {
            let object = try #require(try JSONSerialization.jsonObject(with: delivery.body) as? [String: Any])
            let sample = (object["sample"] as? [[String: Any]] ?? []).compactMap { $0["eventName"] as? String }
            messages.append("\(object["alert"] ?? "") \(object["count"] ?? "") \(sample.joined(separator: ","))")
            try await storage.webhooks.complete(delivery)
        }
        return messages
    }

    @Test("Alerts fire for the events that arrive after them, each for its own, once", arguments: StorageDriver.all)
    func fires(driver: StorageDriver) async throws {
        try await open(driver) { storage in
            try await append([Self.event(1, name: "early")], to: storage)
            try await save("early", "name:early", in: storage)
            try await save("two", "name:x OR name:y", count: 2, in: storage)
            try await save("text", #"special"#, in: storage)
            try await save("off", "", isEnabled: false, in: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            try await append(
                [
                    Self.event(2, client: "c", name: "x"), Self.event(3, client: "d", name: "y"),
                    Self.event(4, name: "z", text: "a special one"),
                ], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage).sorted() == ["text 1 z", "two 2 x,y"])
            // Evaluated once, also after a merge.
            try await #require(storage.tables).events.merge(after: 0)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            time.pass(3_599)
            try await append([Self.event(5, name: "special")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            time.pass(1)
            try await append([Self.event(6, name: "special")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["text 1 special"])
        }
    }

    @Test(
        "Events count within their time of arrival, also over several evaluations and restarts",
        arguments: StorageDriver.persistent)
    func windows(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { storage in
                _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
                try await save("a", "name:x", count: 3, within: 10, in: storage)
                try await append([Self.event(1, name: "x"), Self.event(2, name: "x")], to: storage)
                try await service(storage).evaluate()
            }
            try await bench.open { storage in
                time.pass(11)
                try await append([Self.event(3, name: "x"), Self.event(4, name: "x")], to: storage)
                try await service(storage).evaluate()
                #expect(try await messages(storage) == [])
                time.pass(10)
                try await append([Self.event(5, name: "x")], to: storage)
            }
            try await bench.open { storage in
                try await service(storage).evaluate()
                #expect(try await messages(storage) == ["a 3 x"])
            }
        }
    }

    @Test("An alert finds what its owner sees", arguments: StorageDriver.all)
    func scopes(driver: StorageDriver) async throws {
        try await open(driver) { storage in
            try await save("all", "", in: storage)
            try await save("net", "", scope: RelayScope(scenarios: ["Net*"]), in: storage)
            try await save("client", "", scope: RelayScope(clients: ["w*"]), in: storage)
            try await save("app", "name:w", scope: RelayScope(apps: ["com.example"]), in: storage)
            try await append([Self.event(1, client: "c", name: "x", scenario: "Other")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["all 1 x"])
            try await append([Self.event(2, client: "c", name: "y", scenario: "Network")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["net 1 y"])
            try await append([Self.event(3, client: "web", name: "z")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["client 1 z"])
            try await append([Self.event(4, client: "c", name: "w")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            var client = TelemetryRecord(
                recordType: TelemetrySchema.clientRecordType, recordID: .init(recordName: "client-c"))
            client["clientid"] = .string("c")
            client["app"] = .string("com.example")
            _ = try await storage.records.save([RelayRecord(client)], policy: .insert)
            try await append([Self.event(5, client: "c", name: "w")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["app 1 w"])
        }
    }

    @Test("Of two relays that evaluate the same events one stores what fires", arguments: StorageDriver.persistent)
    func relays(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { one in
                _ = try await RelayWebhooks(storage: one.webhooks).add("hook", url: "https://hook.test")
                try await save("a", "name:x", in: one)
                try await append([Self.event(1, name: "x")], to: one)
                let list = try await one.alerts.all()
                let watched = [try Self.watched(list.alerts[0])]
                let evaluation = try #require(try await one.alerts.evaluate(watched, of: list.revision, now: time.now))
                let firing = try #require(evaluation.firings.first)
                try await bench.open { other async throws in
                    let messages = ["1", "2"].map { RelayAlertMessage(firing: firing, identifier: $0, body: Data("{}".utf8)) }
                    let first = try await other.alerts.commit(evaluation, [messages[0]])
                    let second = try await one.alerts.commit(evaluation, [messages[1]])
                    #expect(first == [] && second == nil)
                    #expect(try await other.webhooks.take(of: nil).map(\.message) == ["1"])
                }
            }
        }
    }

    @Test("An alert that is saved during an evaluation is evaluated for the events from then on")
    func savedMeanwhile() async throws {
        try await open(.memory) { storage in
            try await save("a", "name:x", in: storage)
            try await append([Self.event(1, name: "x")], to: storage)
            let list = try await storage.alerts.all()
            try await save("b", "name:y", in: storage)
            try await append([Self.event(2, name: "y")], to: storage)
            let watched = [try Self.watched(list.alerts[0])]
            #expect(try await storage.alerts.evaluate(watched, of: list.revision, now: time.now) == nil)
            let later = try await storage.alerts.all()
            let evaluation = try #require(try await storage.alerts.evaluate(watched, of: later.revision, now: time.now))
            try await save("c", "name:z", in: storage)
            #expect(try await storage.alerts.commit(evaluation, []) == nil)
            try await service(storage).evaluate()
            #expect(try await messages(storage).sorted() == ["a 1 x", "b 1 y"])
        }
    }

    @Test("A block that cannot be read is left out, whichever alerts need its text, and later events are evaluated")
    func unreadable() async throws {
        try await StorageBench.open(.memory, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            try await save("name", "name:x", in: storage)
            try await save("text", "special", in: storage)
            try await append([Self.event(1, name: "x", text: "special")], to: storage)
            let database = try #require(storage.tables).database
            try await database.write(.events) { _ = try $0.execute("UPDATE event_block SET body = $1", [.bytes(Data("?".utf8))]) }
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            try await database.write(.events) {
                _ = try $0.execute("UPDATE event_block SET first = last + 1", [])
            }
            try await append([Self.event(2, name: "x", text: "special")], to: storage)
            try await service(storage).evaluate()
            try await append([Self.event(3, name: "x", text: "special")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage).isEmpty == false)
        }
    }

    @Test("An alert that cannot be read does not stop the others, and can be replaced and removed")
    func unreadableAlert() async throws {
        try await open(.memory) { storage in
            for name in ["a", "b", "c"] { try await save(name, "name:x", in: storage) }
            let database = try #require(storage.tables).database
            try await database.write(.alerts) { db in
                _ = try db.execute(
                    "UPDATE alert SET definition = $1 WHERE name <> $2", [.bytes(Data("?".utf8)), .bytes(Data("b".utf8))])
                _ = try db.execute(
                    "UPDATE alert SET recent = $1 WHERE name = $2", [.bytes(Data("?".utf8)), .bytes(Data("b".utf8))])
            }
            try await append([Self.event(1, name: "x")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["b 1 x"])
            try await save("a", "name:y", in: storage)
            #expect(try await storage.alerts.remove(named: "c", by: .command, where: { $0 == nil }))
            #expect(try await storage.alerts.all().alerts.map(\.name) == ["a", "b"])
        }
    }

    @Test(
        "A gap in the numbers is passed in one step; an alert that was saved behind a backlog is evaluated from its own events on"
    )
    func gaps() async throws {
        try await open(.memory) { storage in
            try await save("a", "name:x", quiet: 1, in: storage)
            for start in [1, 4_001, 8_001] {
                try await append((start..<start + 4_000).map { Self.event($0, name: "y") }, to: storage)
            }
            try await #require(storage.tables).events.merge(after: 0)
            try await save("b", "name:y", quiet: 1, in: storage)
            let database = try #require(storage.tables).database
            try await database.write(.events) {
                _ = try $0.execute("UPDATE event_state SET next_event = next_event + 4294967296", [])
            }
            time.pass(2)
            try await append([Self.event(20_000, name: "x"), Self.event(20_001, name: "y")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage).sorted() == ["a 1 x", "b 1 y"])
        }
    }

    @Test("A change begins anew, the same alert again does not; what fires for one that was removed is dropped")
    func changes() async throws {
        try await open(.memory) { storage in
            try await save("a", "name:x", count: 2, in: storage)
            try await append([Self.event(1, name: "x")], to: storage)
            try await service(storage).evaluate()
            try await save("a", "name:x", count: 2, in: storage)
            try await append([Self.event(2, name: "x")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == ["a 2 x"])
            try await save("a", "name:x", count: 3, in: storage)
            try await append([Self.event(3, name: "x"), Self.event(4, name: "x")], to: storage)
            try await service(storage).evaluate()
            #expect(try await messages(storage) == [])
            let list = try await storage.alerts.all()
            let alert = try #require(list.alerts.first)
            try await append([Self.event(5, name: "x")], to: storage)
            let watched = try Self.watched(alert)
            let evaluation = try #require(try await storage.alerts.evaluate([watched], of: list.revision, now: time.now))
            let firing = try #require(evaluation.firings.first)
            #expect(try await storage.alerts.remove(named: "a", by: .command, where: { _ in true }))
            let message = RelayAlertMessage(firing: firing, identifier: "m", body: Data("{}".utf8))
            #expect(try await storage.alerts.commit(evaluation, [message]) == [])
            #expect(try await storage.usage().deliveries == 0)
        }
    }

    @Test("A firing whose webhook is gone or full is reported")
    func unsent() async throws {
        try await open(.memory) { storage in
            try await save("a", "", in: storage)
            #expect(try await storage.webhooks.remove(named: "hook"))
            try await append([Self.event(1)], to: storage)
            let list = try await storage.alerts.all()
            let alert = try #require(list.alerts.first)
            let watched = try Self.watched(alert)
            let evaluation = try #require(try await storage.alerts.evaluate([watched], of: list.revision, now: time.now))
            let message = RelayAlertMessage(firing: evaluation.firings[0], identifier: "m", body: Data("{}".utf8))
            #expect(
                try await storage.alerts.commit(evaluation, [message])
                    == [RelayUnsentFiring(alert: "a", reason: "there is no webhook hook")])
            await #expect(throws: RelayStorageError.refused(#"There is no webhook "hook"."#)) {
                try await save("b", "", in: storage)
            }
        }
    }

    @Test("A message has the alert, the time, the count, the query, a link, and at most three events, or none")
    func body() async throws {
        try await open(.memory) { storage in
            try await save("many", "name:x severity:error OR y", count: 5, in: storage)
            try await append((1...9).map { Self.event($0, name: "y") }, to: storage)
            try await service(storage).evaluate()
            let delivery = try #require(try await storage.webhooks.take(of: nil).first)
            #expect(delivery.message.hasPrefix("msg_"))
            let object = try #require(try JSONSerialization.jsonObject(with: delivery.body) as? [String: Any])
            #expect(Set(object.keys) == ["alert", "firedAt", "count", "query", "link", "sample"])
            #expect(object["firedAt"] as? String == "2025-11-24T16:00:00.000Z")
            #expect(object["query"] as? String == "name:x severity:error or y")
            #expect(
                object["link"] as? String
                    == "https://relay.test/#/events?query=name%3Ax%20severity%3Aerror%20or%20y")
            let ids = (object["sample"] as? [[String: Any]])?.compactMap { $0["eventId"] as? String }
            #expect(ids == ["e3", "e4", "e5"])
            try await storage.webhooks.complete(delivery)
            try await save("large", "name:z", in: storage)
            try await append([Self.event(11, name: "z", text: String(repeating: "z", count: 100_000))], to: storage)
            try await service(storage).evaluate()
            let large = try #require(try await storage.webhooks.take(of: nil).first)
            #expect(large.body.count < 1_000)
            try await storage.webhooks.complete(large)
            try await save("none", "name:y", in: storage)
            try await append([Self.event(10, name: "y")], to: storage)
            try await service(storage, hasSamples: false).evaluate()
            let without = try #require(try await storage.webhooks.take(of: nil).first)
            let keys = (try JSONSerialization.jsonObject(with: without.body) as? [String: Any])?.keys
            #expect(keys?.contains("sample") == false)
        }
    }

    @Test("Many events are evaluated in several steps, none twice")
    func steps() async throws {
        try await open(.memory) { storage in
            try await save("a", "name:x", count: 1_000, quiet: 1, in: storage)
            for start in stride(from: 0, to: 45_000, by: 5_000) {
                time.pass(1)
                try await append(
                    (start + 1...start + 5_000).map { Self.event($0, name: $0 % 10 == 0 ? "x" : "y") }, to: storage)
            }
            try await service(storage).evaluate()
            #expect(try await messages(storage).count == 4)
        }
    }

    @Test("Large events are evaluated in several steps, none twice, also those of blocks whose numbers overlap")
    func largeSteps() async throws {
        try await open(.memory) { storage in
            try await save("a", "name:n*", count: 2, quiet: 1, in: storage)
            let text = String(repeating: "x", count: 28_000)
            for number in 1...200 {
                time.pass(2)
                let event = Self.event(number, client: "c\(number % 100)", name: "n\(number)", text: text)
                try await append([event], to: storage)
            }
            try await #require(storage.tables).events.merge(after: 0)
            let list = try await storage.alerts.all()
            let watched = try Self.watched(list.alerts[0])
            var steps = 0
            while let found = try await storage.alerts.evaluate([watched], of: list.revision, now: time.now) {
                steps += 1
                let writer = AlertMessages(page: "", hasSamples: true)
                let written = found.firings.map { writer.message(for: $0, at: time.now) }
                #expect(try await storage.alerts.commit(found, written) == [])
            }
            // Blocks of 100 clients, each with two events that are far apart, are read twice, but not once for each event.
            #expect(steps == 2)
            // A message lacks the events of an earlier step.
            let last = try await messages(storage).map { String($0.split { $0 == " " || $0 == "," }.last ?? "") }
            #expect(last == (1...100).map { "n\(2 * $0)" })
        }
    }
}
