import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

struct CachedRecordsTests {
    private static func state(_ isSettled: Bool) throws -> CachedRecords.FileState {
        let status = try #require(try FileSystem().status("/"))
        return CachedRecords.FileState(stamp: FileStamp(status), isSettled: isSettled)
    }

    private static let values: [TelemetryValue?] = [
        nil, .int(0), .int(1), .int(2), .bool(false), .bool(true), .double(1), .double(0), .double(-0.0), .double(.nan),
        .string("1"),
        .string("é"), .string("e\u{301}"), .string(""), .date(Date(timeIntervalSince1970: 1)),
        .date(Date(timeIntervalSince1970: .nan)),
    ]

    @Test("The candidates include every record that fulfils the conditions, after any changes")
    func candidates() throws {
        var random = SeededGenerator()
        var cached = CachedRecords()
        var records: [String: TelemetryRecord] = [:]
        // More fields than have an index.
        let fields = (0..<12).map { "f\($0)" }
        for round in 0..<3_000 {
            let name = "r\(Int.random(in: 0..<40, using: &random))"
            if Int.random(in: 0..<4, using: &random) == 0 {
                cached.remove(name)
                records[name] = nil
            } else {
                var record = TelemetryRecord(recordType: "t", recordID: .init(recordName: name))
                for field in fields { record[field] = Self.values.randomElement(using: &random) ?? nil }
                cached.set(record, try Self.state(Bool.random(using: &random)), for: name)
                records[name] = record
            }
            var conditions: [String: TelemetryValue] = [:]
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                conditions[fields.randomElement(using: &random) ?? ""] = Self.values.randomElement(using: &random) ?? nil
            }
            let expected = records.filter { _, record in
                conditions.allSatisfy { field, condition in record[field]?.fulfils(condition) ?? false }
            }
            let candidates = cached.candidates(fulfilling: conditions)
            #expect(Set(candidates).count == candidates.count)
            #expect(Set(candidates).isSuperset(of: expected.keys), "seed \(randomSeed), round \(round)")
            // With one condition, the index is exact.
            if conditions.count <= 1 { #expect(candidates.count == expected.count, "seed \(randomSeed), round \(round)") }
            #expect(cached.count == records.count)
        }
    }

    @Test("A file is unsettled until it is set as settled, removed, or not kept")
    func unsettled() throws {
        var cached = CachedRecords()
        let record = TelemetryRecord(recordType: "t")
        for name in ["a", "b", "c", "d"] { cached.set(record, try Self.state(false), for: name) }
        cached.set(record, try Self.state(true), for: "a")
        cached.remove("b")
        cached.keep(["a", "d"])
        #expect(cached.unsettled == ["d"])
        #expect(cached.count == 2)
        #expect(cached.record(in: "c") == nil && cached.state(of: "c") == nil)
        #expect(Set(cached.candidates(fulfilling: [:])) == ["a", "d"])
    }
}
