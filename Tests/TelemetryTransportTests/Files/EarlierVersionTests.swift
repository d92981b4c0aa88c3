import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// A store that version 0.1.0 wrote in several processes, the last of which was killed.
struct EarlierVersionTests {
    private static let clients = ["alpha", "Böb/..😀"]

    /// The events that were stored and not deleted, in the order in which they were appended.
    private static let stored = clients.flatMap { client in (1...32).map { Self.event(client, $0) } }
        .filter { $0.clientId != "alpha" || !["event.5", "event.20"].contains($0.name) }

    @Test("Every event of a store of version 0.1.0 is read as it was appended")
    func events() async throws {
        try await withStore { directory in
            let store = try FileTelemetryTransport(directory: directory)
            #expect(try await store.fetchAllEvents() == Self.stored)
            #expect(try await store.countEvents() == 62)
            let filter = TelemetryEventFilter(clientId: "alpha", scenarios: ["Checkout"])
            let page = try await store.events(matching: filter, after: nil, limit: 100)
            #expect(page.events == Self.stored.filter { $0.clientId == "alpha" && $0.scenario == "Checkout" })
        }
    }

    @Test("Every record and subscription of a store of version 0.1.0 is read as it was saved")
    func records() async throws {
        try await withStore { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let clients = try await store.fetchTelemetryClients()
            #expect(Set(clients.map(\.clientId)) == Set(Self.clients + ["kas3n9hxud"]))
            #expect(clients.allSatisfy { $0.isEnabled })
            for client in Self.clients {
                let scenarios = try await store.fetchScenarios(forClient: client)
                #expect(Set(scenarios.map { "\($0.scenarioName) \($0.isEnabled)" }) == ["Checkout true", "Sync false"])
                let commands = try await store.fetchPendingCommands(for: client)
                #expect(commands.map(\.commandId) == ["c1-\(client)"])
                #expect(commands.first?.action == .enableScenario && commands.first?.scenarioName == "Sync")
                #expect(commands.first?.created == Date(timeIntervalSince1970: 1_790_000_100))
                #expect(try await store.fetchCommandSubscription(for: client) != nil)
            }
            let executed = try #require(try await store.fetchCommand(recordID: .command("e")))
            #expect(executed.status == .executed && executed.executedAt != nil)
            // Earlier change tags are valid, and a save changes them.
            let record = try #require(try await store.record(withID: .client("alpha")))
            let saved = try await store.save([record], policy: .ifUnchanged)
            #expect(saved.first?.changeTag != record.changeTag)
        }
    }

    @Test("Events can be appended to and deleted from a store of version 0.1.0, also after it is reopened")
    func changes() async throws {
        try await withStore { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let end = try await store.events(matching: .all, after: nil, limit: 1_000).cursor
            let added = [Self.event("alpha", 33), Self.event("new", 1)]
            // The first one is stored already, with the same identifier.
            try await store.append([Self.event("alpha", 1)] + added)
            #expect(try await store.events(matching: .all, after: end, limit: 10).events == added)
            #expect(try await store.deleteEvents(matching: .init(clientId: Self.clients[1], names: ["event.7"])) == 1)
            #expect(try await store.deleteEvents(forClient: "alpha") == 31)
            let left = Self.stored.filter { $0.clientId == Self.clients[1] && $0.name != "event.7" } + [added[1]]
            #expect(try await store.fetchAllEvents() == left)
            let reopened = try FileTelemetryTransport(directory: directory)
            #expect(try await reopened.fetchAllEvents() == left)
            #expect(try await reopened.events(matching: .all, after: end, limit: 10).events == [added[1]])
        }
    }

    private func withStore(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Fixtures/Version0.1.0/store")
            try FileManager.default.copyItem(at: fixture, to: directory)
            for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) + [""] {
                let url = directory.appending(path: path)
                let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
                try FileManager.default.setAttributes(
                    [.posixPermissions: isDirectory ? 0o700 : 0o600], ofItemAtPath: url.path)
            }
            try await body(directory)
        }
    }

    /// The event as the program that wrote the store made it.
    private static func event(_ client: String, _ number: UInt64) -> TelemetryEvent {
        let isThird = number.isMultiple(of: 3)
        let isEven = number.isMultiple(of: 2)
        return TelemetryEvent(
            eventId: "\(client)-\(number)", clientId: client, sessionId: "session-\(client)", sequence: number,
            name: "event.\(number)", timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(number) / 8),
            device: TelemetryDeviceInfo(
                deviceType: "Linux", deviceName: "host-\(client)", deviceModel: "x86_64", osVersion: "12", appVersion: "1.0"),
            threadId: "7", property1: isEven ? nil : "text \(number) – ünïcode \u{1F600}\n\"quoted\"",
            attributes: isThird
                ? [
                    "int": .int(Int64(number)), "double": .double(0.5), "bool": .bool(true),
                    "date": .date(Date(timeIntervalSince1970: 1_700_000_000.25)), "string": "s",
                ] : [:],
            scenario: ((number - 1) / 8).isMultiple(of: 2) ? "Checkout" : nil, level: isEven ? .info : .diagnostic)
    }
}
