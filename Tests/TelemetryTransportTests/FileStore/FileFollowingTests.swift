import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileFollowingTests {
    @Test("Concurrent changes by several transports are all notified, across journal files")
    func manyChanges() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(journalBytes: 3_000)
            let viewer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            try await viewer.createScenarioSubscription()
            let notifications = viewer.notifications()
            let writers = try (0..<3).map { _ in
                try FileTelemetryTransport(directory: directory, configuration: configuration)
            }
            let all = Set((0..<300).map { TelemetryRecord.ID(recordName: "r\($0)") })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, id) in all.enumerated() {
                    group.addTask {
                        let record = TelemetryRecord(recordType: "TelemetryScenario", recordID: id)
                        _ = try await writers[number % 3].save([record], policy: .insert)
                        try await writers[number % 3].append([event(UInt64(number))])
                    }
                }
                try await group.waitForAll()
            }
            var missing = all
            for await notification in notifications {
                if let id = notification.recordID { missing.remove(id) }
                if missing.isEmpty { break }
            }
            #expect(missing.isEmpty)
        }
    }

    @Test("A subscription applies from its save until its removal, to its type and client")
    func subscriptions() async throws {
        try await withTemporaryDirectory { directory in
            let viewer = try FileTelemetryTransport(directory: directory)
            let other = try FileTelemetryTransport(directory: directory)
            var notifications = viewer.notifications().makeAsyncIterator()
            try await other.createTelemetryClient(clientId: "before", isEnabled: true)
            try await other.createClientRecordSubscription()
            try await other.createTelemetryClient(clientId: "a", isEnabled: true)
            #expect(await notifications.next()?.recordID == .client("a"))
            try await viewer.removeSubscription("TelemetryClient-All")
            try await other.createTelemetryClient(clientId: "b", isEnabled: true)
            try await viewer.createCommandSubscription(for: "b")
            try await other.createCommand(TelemetryCommandRecord(commandId: "1", clientId: "a", action: .enable))
            try await other.createCommand(TelemetryCommandRecord(commandId: "2", clientId: "b", action: .enable))
            let notification = await notifications.next()
            #expect(notification?.subscriptionID == "TelemetryCommand-b")
            #expect(notification?.recordID == .command("2"))
            try await other.deleteAllCommands(for: "b")
            #expect(await notifications.next()?.recordID == .command("2"))
        }
    }

    @Test("A stream returns the stored events and then those that another transport writes")
    func stream() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory, configuration: .init(journalBytes: 2_000))
            let viewer = try FileTelemetryTransport(directory: directory)
            try await writer.append(events(1...100))
            var iterator = viewer.eventStream().makeAsyncIterator()
            for sequence in 1...100 as ClosedRange<UInt64> { #expect(try await iterator.next()?.sequence == sequence) }
            for sequence in 101...200 as ClosedRange<UInt64> {
                try await writer.append([event(sequence)])
                #expect(try await iterator.next()?.sequence == sequence)
            }
        }
    }

    @Test("Following ends with its consumer, and starts again with the next")
    func ends() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory, configuration: .init(pollInterval: .milliseconds(5)))
            try await transport.createScenarioSubscription()
            for round in 0..<5 {
                var notifications = transport.notifications().makeAsyncIterator()
                try await transport.createScenarios([
                    TelemetryScenarioRecord(clientId: "c", scenarioName: "s\(round)", isEnabled: false)
                ])
                #expect(await notifications.next()?.recordID == .scenario("s\(round)", ofClient: "c"))
            }
        }
    }
}
