import Foundation
import Testing

@testable import TelemetryRelay

/// Webhooks and deliveries in every kind of database.
struct WebhookStorageTests {
    private func create(_ names: String..., in storage: any RelayStorage) async throws {
        for name in names {
            let secret = try #require(WebhookSecret(key: Data(name.utf8.prefix(1)) + Data(count: 24)))
            try await storage.webhooks.create(
                RelayWebhook(name: name, url: "https://\(name).test", secret: secret, created: TestTime().now))
        }
    }

    private func add(_ messages: String..., to name: String, in storage: any RelayStorage) async throws {
        for message in messages {
            #expect(
                try await storage.webhooks.add(
                    Data("\(message)!".utf8), as: message, to: name, before: RelayDelivery.maximumWaiting))
        }
    }

    @Test(
        "Deliveries of each webhook are taken in order, and those behind one only when it is completed",
        arguments: StorageDriver.all)
    func order(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            try await create("a", "b", in: storage)
            #expect(try await !storage.webhooks.add(Data(), as: "x", to: "c", before: 9))
            try await add("a1", "a2", to: "a", in: storage)
            try await add("b1", to: "b", in: storage)
            #expect(try await storage.usage().deliveries == 3)
            let first = try await storage.webhooks.take(of: nil)
            #expect(first.map(\.message).sorted() == ["a1", "b1"])
            let a1 = try #require(first.first { $0.message == "a1" })
            #expect(
                a1.webhook.name == "a" && a1.webhook.url == "https://a.test" && a1.webhook.secret.key.first == UInt8(ascii: "a"))
            #expect(a1.body == Data("a1!".utf8) && a1.attempts == 1 && a1.age == 0)
            #expect(try await storage.webhooks.take(of: nil).isEmpty)
            #expect(try await storage.webhooks.progress(of: "a1") == .waiting(lastFailure: nil))
            try await storage.webhooks.complete(a1)
            #expect(try await storage.webhooks.progress(of: "a1") == .ended)
            let b = try #require(first.first { $0.message == "b1" }).webhook.number
            #expect(try await storage.webhooks.take(of: b).isEmpty)
            #expect(try await storage.webhooks.take(of: a1.webhook.number).map(\.message) == ["a2"])
            #expect(try await storage.faults() == [])
        }
    }

    @Test(
        "A postponed delivery waits, and one that nobody completed is taken again when its lease ends",
        arguments: StorageDriver.all)
    func waits(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, time: time) { storage in
            try await create("a", in: storage)
            try await add("1", "2", to: "a", in: storage)
            func take() async throws -> [RelayDelivery] { try await storage.webhooks.take(of: nil) }
            let first = try #require(try await take().first)
            try await storage.webhooks.postpone(first, by: 5, failure: "status 500")
            #expect(try await storage.webhooks.progress(of: "1") == .waiting(lastFailure: "status 500"))
            time.pass(4)
            #expect(try await take().isEmpty)
            // The clock of the machine does not matter.
            time.jump(3_600)
            #expect(try await take().isEmpty)
            time.pass(1)
            let second = try await take()
            #expect(second.map(\.message) == ["1"] && second.map(\.attempts) == [2] && second.map(\.age) == [5])
            time.pass(RelayDelivery.lease - 1)
            #expect(try await take().isEmpty)
            time.pass(1)
            #expect(try await take().map(\.attempts) == [3])
        }
    }

    @Test("Deliveries survive the end of a relay, and only one of two relays takes each", arguments: StorageDriver.persistent)
    func relays(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open { storage in
                try await create("a", "b", in: storage)
                try await add("1", to: "a", in: storage)
                try await add("2", to: "b", in: storage)
            }
            try await bench.open { one in
                try await bench.open { other in
                    async let first = one.webhooks.take(of: nil)
                    async let second = other.webhooks.take(of: nil)
                    let taken = try await first + second
                    #expect(taken.map(\.message).sorted() == ["1", "2"])
                }
            }
        }
    }

    @Test("A removed webhook takes its deliveries with it, and its name can be used again", arguments: StorageDriver.all)
    func removal(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            try await create("a", in: storage)
            await #expect(throws: RelayStorageError.nameInUse("a")) { try await create("a", in: storage) }
            try await add("1", to: "a", in: storage)
            let taken = try await storage.webhooks.take(of: nil)
            #expect(try await storage.webhooks.remove(named: "a"))
            #expect(try await !storage.webhooks.remove(named: "a"))
            for delivery in taken { try await storage.webhooks.postpone(delivery, by: 0, failure: "x") }
            #expect(try await storage.webhooks.progress(of: "1") == .ended)
            try await create("a", in: storage)
            #expect(try await storage.webhooks.take(of: nil).isEmpty)
        }
    }

    @Test("A webhook that cannot be read does not stop the others, and can be removed")
    func unreadable() async throws {
        try await StorageBench.open(.memory) { storage in
            try await create("a", "b", in: storage)
            try await add("1", to: "a", in: storage)
            try await add("2", to: "b", in: storage)
            try await #require(storage.tables).database.write(.alerts) {
                _ = try $0.execute("UPDATE webhook SET secret = $1 WHERE url = 'https://a.test'", [.bytes(Data())])
            }
            #expect(try await storage.webhooks.take(of: nil).map(\.message) == ["2"])
            #expect(try await storage.webhooks.remove(named: "a"))
            #expect(try await storage.faults() == [])
        }
    }

    @Test("For one webhook, a limited number of deliveries waits, and there is a limited number of webhooks")
    func limit() async throws {
        try await StorageBench.open(.memory) { storage in
            try await create("a", "b", in: storage)
            try await add("1", "2", "3", to: "a", in: storage)
            await #expect(throws: RelayStorageError.refused("too many messages wait for the webhook a")) {
                try await storage.webhooks.add(Data(), as: "x", to: "a", before: 3)
            }
            #expect(try await storage.webhooks.add(Data(), as: "x", to: "a", before: 4))
            try await add("y", to: "b", in: storage)
            for number in 3...RelayWebhook.maximum { try await create("\(number)", in: storage) }
            await #expect(throws: RelayStorageError.refused("there are 100 webhooks already")) {
                try await create("x", in: storage)
            }
        }
    }
}
