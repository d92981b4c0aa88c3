import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileRecordTests {
    private static let id = TelemetryRecord.ID(recordName: "record")

    private static func record(_ value: Int64, type: String = "Type") -> TelemetryRecord {
        var record = TelemetryRecord(recordType: type, recordID: id)
        record["value"] = .int(value)
        return record
    }

    @Test("Of concurrent inserts of a record exactly one succeeds, and the others get the stored record")
    func insertOnce() async throws {
        try await withTemporaryDirectory { directory in
            let transports = try (0..<4).map { _ in try FileTelemetryTransport(directory: directory) }
            let outcomes = await withTaskGroup(of: Int64?.self) { group in
                for task in 0..<40 {
                    group.addTask {
                        do {
                            _ = try await transports[task % 4].save([Self.record(Int64(task))], policy: .insert)
                            return nil
                        } catch {
                            let error = error as? TelemetryTransportError
                            return error?.code == .conflict ? error?.serverRecord?["value"]?.intValue : -1
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let stored = try #require(try await transports[0].record(withID: Self.id)?["value"]?.intValue)
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.count { $0 == stored } == 39)
        }
    }

    @Test("Concurrent .ifUnchanged saves by several transports lose no update")
    func ifUnchanged() async throws {
        try await withTemporaryDirectory { directory in
            let transports = try (0..<3).map { _ in try FileTelemetryTransport(directory: directory) }
            _ = try await transports[0].save([Self.record(0)], policy: .ifUnchanged)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for transport in transports {
                    group.addTask {
                        var done = 0
                        while done < 10 {
                            var record = try #require(try await transport.record(withID: Self.id))
                            record["value"] = .int((record["value"]?.intValue ?? 0) + 1)
                            do {
                                _ = try await transport.save([record], policy: .ifUnchanged)
                                done += 1
                            } catch let error as TelemetryTransportError where error.code == .conflict {}
                        }
                    }
                }
                try await group.waitForAll()
            }
            let last = try #require(try await transports[2].record(withID: Self.id))
            #expect(last["value"] == .int(30))
            #expect(try await transports[1].deleteRecords(withIDs: [Self.id, Self.id, "other"]) == 1)
            #expect(await code { _ = try await transports[0].save([last], policy: .ifUnchanged) } == .notFound)
        }
    }

    @Test("A save of several records saves those that it can, and its error has each other one's failure")
    func partialFailure() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            _ = try await transport.save([Self.record(1)], policy: .insert)
            let new = TelemetryRecord(recordType: "Type", recordID: "new")
            var bad = TelemetryRecord(recordType: "Type", recordID: "bad")
            bad["date"] = .date(Date(timeIntervalSince1970: 1e13))
            do {
                _ = try await transport.save([Self.record(2), new, bad], policy: .insert)
                Issue.record("the save did not fail")
            } catch let error as TelemetryTransportError {
                #expect(error.code == .partialFailure)
                #expect(error.failures.mapValues(\.code) == [Self.id: .conflict, "bad": .invalidArgument])
            }
            #expect(try await transport.record(withID: "new") != nil)
            #expect(try await transport.records(matching: .init(recordType: "Type")).map(\.recordID) == ["new", Self.id])
        }
    }

    @Test("A record that changes its type stays one record")
    func type() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            _ = try await transport.save([Self.record(1)], policy: .insert)
            #expect(await code { _ = try await transport.save([Self.record(2, type: "Other")], policy: .insert) } == .conflict)
            _ = try await transport.save([Self.record(2, type: "Other")], policy: .overwrite)
            #expect(try await transport.records(matching: .init(recordType: "Type")).isEmpty)
            #expect(try await transport.record(withID: Self.id)?["value"] == .int(2))
        }
    }

    @Test("A corrupt record or subscription is set aside and reported, and the rest can be read", arguments: ["{", "", "[1]"])
    func corrupt(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let transport = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            for name in ["a", "b", "c"] {
                _ = try await transport.save(
                    [TelemetryRecord(recordType: "t", recordID: .init(recordName: name))], policy: .insert)
                _ = try await transport.save(TelemetrySubscription(id: name, recordType: "t"))
            }
            try Data(text.utf8).write(to: directory.appending(path: "records/t/b.json"))
            try Data(text.utf8).write(to: directory.appending(path: "subscriptions/b.json"))
            #expect(try await transport.records(matching: .init(recordType: "t")).map(\.recordID) == ["a", "c"])
            #expect(try await transport.subscription(withID: "b") == nil)
            #expect(try await transport.subscription(withID: "c") != nil)
            let aside = try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "set-aside").path)
            #expect(aside.count == 2)
            #expect(told.all.map(\.kind) == [.corruptFile, .corruptFile])
            #expect(told.all.allSatisfy { $0.message.contains("b.json") })
            _ = try await transport.save([TelemetryRecord(recordType: "t", recordID: "b")], policy: .insert)
        }
    }
}
