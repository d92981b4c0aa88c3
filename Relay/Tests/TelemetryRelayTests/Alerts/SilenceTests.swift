import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServiceLifecycleTestKit
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Alerts about clients that are not seen, in every kind of database.
struct SilenceTests {
    /// A relay of the database, as far as it watches clients.
    private struct Watcher {
        let storage: any RelayStorage
        let sightings: ClientSightings
        let service: AlertService

        init(_ storage: any RelayStorage, _ time: TestTime, hasSamples: Bool = true, open: @escaping @Sendable () -> Set<Data>) {
            (self.storage, sightings) = (storage, ClientSightings(open: open))
            let clients = KnownClients(storage: storage.records)
            service = AlertService(
                storage: storage, clients: clients, messages: AlertMessages(page: "https://relay.test", hasSamples: hasSamples),
                silences: SilenceWatch(
                    alerts: storage.alerts, clients: clients, sightings: sightings, uptime: { time.uptime }),
                logger: Bench.logger(), now: { time.now })
        }

        /// Passes time second by second, in which clients make a request each second.
        /// - Returns: the alerts that fired, with their clients.
        func pass(_ seconds: Int, _ time: TestTime, seeing clients: String...) async throws -> [String] {
            var messages: [String] = []
            for _ in 0..<seconds {
                time.pass(1)
                sightings.note(clients)
                try await service.checkSilences()
                messages += try await take().map { object in
                    let clients = object["clientids"] as? [String] ?? []
                    #expect(object["count"] as? Int == clients.count)
                    return "\(object["alert"] ?? "") \(clients.joined(separator: ","))"
                }
            }
            return messages
        }

        /// The first message after ten seconds in which no client is seen.
        func firstMessage(_ time: TestTime) async throws -> [String: Any] {
            for _ in 0..<10 {
                time.pass(1)
                try await service.checkSilences()
            }
            return try #require(try await take().first)
        }

        /// The messages that wait.
        func take() async throws -> [[String: Any]] {
            var messages: [[String: Any]] = []
            while let delivery = try await storage.webhooks.take(of: nil).first {
                messages.append(try #require(try JSONSerialization.jsonObject(with: delivery.body) as? [String: Any]))
                try await storage.webhooks.complete(delivery)
            }
            return messages
        }
    }

    private let time = TestTime()

    private func open(_ driver: StorageDriver, _ body: (Watcher) async throws -> Void) async throws {
        try await StorageBench.open(driver, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            try await body(Watcher(storage, time) { [] })
            #expect(try await storage.faults() == [])
        }
    }

    private static func save(
        _ name: String, _ seconds: Int, clients: String = "*", quiet: Int = 1, scope: RelayScope? = nil,
        isEnabled: Bool = true, in storage: any RelayStorage
    ) async throws {
        var alert = RelayAlert(
            name: name, condition: .silence(.init(seconds: seconds, clients: NamePattern(clients))), webhook: "hook",
            quiet: quiet, isEnabled: isEnabled)
        (alert.owner, alert.scope) = ("anna", scope)
        try await storage.alerts.save(alert, by: RelayActor(token: "anna", role: .viewer)) { [alert] _ in alert }
    }

    private static func approve(
        _ client: String, _ isApproved: Bool = true, app: String? = nil, in storage: any RelayStorage
    ) async throws {
        var record = TelemetryRecord(
            recordType: TelemetrySchema.clientRecordType, recordID: .init(recordName: "client-\(client)"))
        typealias Field = TelemetrySchema.ClientField
        record[Field.clientId.rawValue] = .string(client)
        record[Field.isEnabled.rawValue] = .bool(isApproved)
        if let app { record[Field.app.rawValue] = .string(app) }
        let result = try await storage.records.save([RelayRecord(record)], policy: .overwrite)
        try #require(result.failures.isEmpty)
    }

    @Test("An alert fires once for each silence of an approved client", arguments: StorageDriver.all)
    func fires(driver: StorageDriver) async throws {
        try await open(driver) { relay in
            for client in ["web-1", "web-2", "tv"] { try await Self.approve(client, in: relay.storage) }
            try await Self.approve("new", false, in: relay.storage)
            try await Self.save("web", 40, clients: "web-*", in: relay.storage)
            try await Self.save("off", 40, isEnabled: false, in: relay.storage)
            // A check every 4 seconds, and what another relay has not stored yet: late by at most 14 seconds.
            #expect(try await relay.pass(39, time, seeing: "web-1", "tv") == [])
            #expect(try await relay.pass(15, time, seeing: "web-1", "tv") == ["web web-2"])
            #expect(try await relay.pass(200, time, seeing: "web-1", "tv") == [])
            #expect(try await relay.pass(20, time, seeing: "web-1", "web-2", "tv") == [])
            #expect(try await relay.pass(39, time) == [])
            #expect(try await relay.pass(15, time) == ["web web-1,web-2"])
            #expect(try await relay.pass(200, time) == [])
        }
    }

    @Test("A client with an open stream is seen; one whose approval or record ends is not watched", arguments: StorageDriver.all)
    func open(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            let relay = Watcher(storage, time) { [NameKey.data(of: "stream")] }
            for client in ["stream", "denied", "gone", "silent"] { try await Self.approve(client, in: storage) }
            try await Self.save("a", 20, in: storage)
            #expect(try await relay.pass(19, time) == [])
            try await Self.approve("denied", false, in: storage)
            #expect(try await storage.records.delete(named: ["client-gone"]) == 1)
            #expect(try await relay.pass(60, time) == ["a silent"])
            // Approved again, it begins anew.
            try await Self.approve("denied", in: storage)
            #expect(try await relay.pass(20, time) == [])
            #expect(try await relay.pass(20, time) == ["a denied"])
            #expect(try await storage.faults() == [])
        }
    }

    @Test("While an alert is quiet clients fall silent, and it fires for those that still are", arguments: StorageDriver.all)
    func quiet(driver: StorageDriver) async throws {
        try await open(driver) { relay in
            for client in ["a", "b", "c"] { try await Self.approve(client, in: relay.storage) }
            try await Self.save("x", 4, quiet: 100, in: relay.storage)
            #expect(try await relay.pass(20, time, seeing: "b", "c") == ["x a"])
            #expect(try await relay.pass(40, time, seeing: "a") == [])
            #expect(try await relay.pass(20, time, seeing: "a", "b") == [])
            #expect(try await relay.pass(60, time, seeing: "a", "b") == ["x c"])
        }
    }

    @Test("An alert counts from when it was saved, also if it is changed", arguments: StorageDriver.all)
    func since(driver: StorageDriver) async throws {
        try await open(driver) { relay in
            try await Self.approve("a", in: relay.storage)
            try await Self.save("x", 10, in: relay.storage)
            #expect(try await relay.pass(100, time) == ["x a"])
            try await Self.save("x", 10, in: relay.storage)
            try await Self.save("y", 10, in: relay.storage)
            #expect(try await relay.pass(9, time) == [])
            #expect(try await relay.pass(100, time) == ["y a"])
            try await Self.save("x", 12, in: relay.storage)
            #expect(try await relay.pass(11, time) == [])
            #expect(try await relay.pass(100, time) == ["x a"])
        }
    }

    @Test("An alert sees the clients of its owner's scope", arguments: StorageDriver.all)
    func scopes(driver: StorageDriver) async throws {
        try await open(driver) { relay in
            try await Self.approve("web-1", app: "com.example", in: relay.storage)
            try await Self.approve("web-2", app: "com.other", in: relay.storage)
            try await Self.approve("tv", app: "com.example", in: relay.storage)
            try await Self.save("app", 4, scope: RelayScope(apps: ["com.example"]), in: relay.storage)
            try await Self.save("client", 4, scope: RelayScope(clients: ["web-*"]), in: relay.storage)
            try await Self.save("both", 4, clients: "w*", scope: RelayScope(apps: ["com.example"]), in: relay.storage)
            #expect(try await relay.pass(30, time).sorted() == ["app tv,web-1", "both web-1", "client web-1,web-2"])
        }
    }

    @Test("A time without a relay is no silence, and what fired does not fire again", arguments: StorageDriver.persistent)
    func restart(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { storage async throws in
                _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
                for client in ["a", "b"] { try await Self.approve(client, in: storage) }
                try await Self.save("x", 100, in: storage)
                #expect(try await Watcher(storage, time) { [] }.pass(200, time, seeing: "b") == ["x a"])
            }
            time.pass(100_000)
            try await bench.open { storage async throws in
                let relay = Watcher(storage, time) { [] }
                #expect(try await relay.pass(99, time) == [])
                #expect(try await relay.pass(60, time) == ["x b"])
                #expect(try await relay.pass(200, time) == [])
            }
        }
    }

    @Test(
        "What another relay of the database sees is seen, and one of them sends the message", arguments: StorageDriver.persistent)
    func relays(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { storage in
                _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
                try await Self.approve("a", in: storage)
                try await Self.save("x", 10, in: storage)
                let one = Watcher(storage, time) { [] }
                try await bench.open { other async throws in
                    let two = Watcher(other, time) { [] }
                    for _ in 0..<60 {
                        #expect(try await one.pass(1, time) == [])
                        two.sightings.note(["a"])
                        try await two.service.checkSilences()
                    }
                    var messages: [String] = []
                    for _ in 0..<60 {
                        messages += try await one.pass(1, time)
                        try await two.service.checkSilences()
                        messages += try await two.take().map { "two \($0["clientids"] ?? "")" }
                    }
                    #expect(messages.count == 1)
                }
            }
        }
    }

    @Test("Relays that started at different times count alike", arguments: StorageDriver.persistent)
    func staggered(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { storage in
                _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
                for client in ["a", "b"] { try await Self.approve(client, in: storage) }
                let one = Watcher(storage, time) { [] }
                time.pass(800_000)
                try await bench.open { other async throws in
                    let two = Watcher(other, time) { [] }
                    try await Self.save("x", 60, in: other)
                    var messages: [String] = []
                    for second in 1...200 {
                        two.sightings.note(["a"])
                        try await two.service.checkSilences()
                        messages += try await one.pass(1, time)
                        if second == 59 { #expect(messages.isEmpty) }
                    }
                    #expect(messages == ["x b"])
                }
            }
        }
    }

    @Test("A relay that was stopped, or cannot write, reports nobody at once", arguments: StorageDriver.all)
    func outage(driver: StorageDriver) async throws {
        try await open(driver) { relay in
            for client in ["a", "b"] { try await Self.approve(client, in: relay.storage) }
            try await Self.save("x", 60, in: relay.storage)
            #expect(try await relay.pass(30, time, seeing: "a", "b") == [])
            time.pass(100_000)
            #expect(try await relay.pass(40, time, seeing: "b") == [])
            time.jump(-100_000)
            #expect(try await relay.pass(60, time, seeing: "b") == ["x a"])
        }
    }

    @Test("A relay that ends stores whom it saw", arguments: StorageDriver.persistent)
    func end(driver: StorageDriver) async throws {
        try await StorageBench.run(driver, time: time) { bench in
            try await bench.open { storage in
                try await Self.approve("a", in: storage)
                _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
                try await Self.save("x", 1_000, in: storage)
                let relay = Watcher(storage, time) { [] }
                try await relay.service.checkSilences()
                let first = try await Self.seen(storage)
                time.pass(5)
                relay.sightings.note(["a"])
                try await relay.service.checkSilences()
                #expect(try await Self.seen(storage) == first)
                await testGracefulShutdown { trigger in
                    trigger.triggerGracefulShutdown()
                    await relay.service.run()
                }
                #expect(try await Self.seen(storage) == first.map { $0 + 5_000 })
            }
        }
    }

    private static func seen(_ storage: any RelayStorage) async throws -> [Int64] {
        try await #require(storage.tables).database.rows("SELECT seen FROM client_seen", []).map { try $0.int(0) }
    }

    @Test("The time between checks grows with the silence and with the number of clients")
    func interval() throws {
        func interval(_ seconds: [Int], clients: Int = 1) -> TimeInterval {
            let alerts = seconds.map { seconds in
                RelayAlert(
                    name: "a", condition: .silence(.init(seconds: seconds, clients: NamePattern("*"))), webhook: "w", quiet: 1,
                    isEnabled: true)
            }
            return RelayClientWatch.interval(of: alerts, clients: clients)
        }
        #expect([1, 10, 60, 600, 86_400].map { interval([$0]) } == [1, 1, 6, 30, 30])
        #expect(interval([600, 60]) == 6)
        #expect([10_000, 100_000].map { interval([1], clients: $0) } == [5, 30])
    }

    @Test("A running relay sends a message")
    func running() async throws {
        let hook = try LoopbackServer { _ in .answers(204, headers: [:], body: "") }
        defer { hook.stop() }
        try await RelayBench.run(uptime: ArrivalClock.continuous()) { relay async throws -> Void in
            _ = try await RelayWebhooks(storage: relay.storage.webhooks).add("hook", url: hook.baseURL.absoluteString)
            try await Self.approve("a", in: relay.storage)
            let body = #"{"silence":1,"webhook":"hook"}"#
            #expect(try await relay.send(.put, "/v1/alerts/down", body).status == .noContent)
            let request = try #require(await hook.nextRequest())
            let message = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
            #expect(message["alert"] as? String == "down" && message["clientids"] as? [String] == ["a"])
        }
    }

    @Test("A message has the number of clients and at most a hundred names, or none")
    func message() async throws {
        try await StorageBench.open(.memory, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            for number in 1...120 { try await Self.approve("c\(number)", in: storage) }
            try await Self.save("x", 4, in: storage)
            let message = try await Watcher(storage, time) { [] }.firstMessage(time)
            #expect(
                Set(message.keys) == ["alert", "firedAt", "count", "query", "link", "silence", "clientids", "sample"])
            #expect(message["count"] as? Int == 120 && message["silence"] as? Int == 4 && message["query"] as? String == "")
            #expect(message["link"] as? String == "https://relay.test/#/clients")
            #expect((message["clientids"] as? [String])?.count == RelayFiring.maximumClients)
            try await Self.save("y", 4, in: storage)
            let other = try await Watcher(storage, time, hasSamples: false) { [] }.firstMessage(time)
            #expect(other["clientids"] == nil && other["sample"] == nil && other["count"] as? Int == 120)
        }
    }

    @Test("The names of a message have at most 64 KiB in JSON, whatever hosts call their clients")
    func longNames() async throws {
        try await StorageBench.open(.memory, time: time) { storage in
            _ = try await RelayWebhooks(storage: storage.webhooks).add("hook", url: "https://hook.test")
            let long = String(repeating: "\u{1}", count: 1_000)
            for number in 10...39 { try await Self.approve(long + "\(number)", in: storage) }
            try await Self.save("x", 4, in: storage)
            let message = try await Watcher(storage, time) { [] }.firstMessage(time)
            #expect(message["count"] as? Int == 30 && (message["clientids"] as? [String])?.count == 10)
        }
    }

    @Test("Without an alert about silence nothing is noted; a failure loses nothing that was")
    func noted() async throws {
        try await open(.memory) { relay in
            relay.sightings.note(["a"])
            #expect(relay.sightings.take().isEmpty)
            try await Self.approve("a", in: relay.storage)
            try await Self.save("x", 4, in: relay.storage)
            try await relay.service.checkSilences()
            relay.sightings.note(["a"])
            let database = try #require(relay.storage.tables).database
            try await database.write(.alerts) { _ = try $0.execute("ALTER TABLE client_seen RENAME TO away", []) }
            time.pass(2)
            await #expect(throws: (any Error).self) { try await relay.service.checkSilences() }
            try await database.write(.alerts) { _ = try $0.execute("ALTER TABLE away RENAME TO client_seen", []) }
            #expect(relay.sightings.take() == [NameKey.data(of: "a")])
            #expect(try await relay.storage.alerts.remove(named: "x", by: .command, where: { _ in true }))
            relay.sightings.note(["a"])
            try await relay.service.checkSilences()
            #expect(relay.sightings.take().isEmpty && !relay.sightings.isNeeded)
        }
    }

    @Test("A relay notes the clients that make requests, and those with open streams")
    func requests() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let parts = RelayParts(
            configuration: .init(), storage: storage, clock: ContinuousClock(), logger: Bench.logger())
        try await Application(router: parts.router()).testInTurn(.router) { client in
            func request(_ caller: TestCaller) async throws {
                try await client.execute(uri: "/v1/server", method: .get, headers: caller.headers) { #expect($0.status == .ok) }
            }
            try await request(.host("a"))
            #expect(parts.sightings.take().isEmpty)
            parts.sightings.isNeeded = true
            try await request(.host("b"))
            try await request(.nobody)
            #expect(parts.sightings.take() == [NameKey.data(of: "b")])
        }
        let host = RelayCaller(credential: .none, tokenName: nil, role: .host, clients: ["s"])
        try await parts.streams.withSession(host) { _ in #expect(parts.sightings.take() == [NameKey.data(of: "s")]) }
        #expect(parts.sightings.take().isEmpty)
        try await storage.close()
    }
}
