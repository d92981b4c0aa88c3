import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct TelemetryRecordQueryTests {
    private func record(_ name: String, _ value: TelemetryValue?) -> TelemetryRecord {
        var record = TelemetryRecord(recordType: "t", recordID: .init(recordName: name))
        record["f"] = value
        return record
    }

    private func sorted(_ records: [TelemetryRecord], by field: String? = "f", ascending: Bool = true) -> [String] {
        TelemetryRecordQuery(recordType: "t", sortField: field, ascending: ascending).apply(to: records)
            .map(\.recordID.recordName)
    }

    @Test("Values of all kinds have one sort order, independent of the input order")
    func oneOrder() {
        let values: [TelemetryValue?] = [
            nil, 2, true, false, 0, 1, 0.5, .double(.nan), .double(-.infinity), "b", "a", "caf\u{e9}",
            .date(Date(timeIntervalSinceReferenceDate: 1)), .int(.min), .int(.max), nil,
        ]
        let records = values.enumerated().map { record(String(format: "%02d", $0.offset), $0.element) }
        for ascending in [true, false] {
            let expected = sorted(records, ascending: ascending)
            var random = SeededGenerator(seed: randomSeed)
            for _ in 0..<200 {
                let shuffled = records.shuffled(using: &random)
                #expect(sorted(shuffled, ascending: ascending) == expected, "seed \(randomSeed)")
            }
            #expect(expected.suffix(2) == ["00", "15"], "records without the field come last, by name")
        }
        #expect(sorted(records).prefix(7) == ["13", "03", "04", "02", "05", "01", "14"], "flags count as 0 and 1")
    }

    @Test("Without a sort field, records are sorted by name")
    func byName() {
        let records = ["b", "a", "c"].map { record($0, nil) }
        #expect(sorted(records, by: nil) == ["a", "b", "c"])
        #expect(sorted(records, by: nil, ascending: false) == ["c", "b", "a"])
    }

    @Test("Equal values are sorted by name, ascending and descending")
    func ties() {
        let records = ["c", "a", "b"].map { record($0, "same") }
        #expect(sorted(records) == ["a", "b", "c"])
        #expect(sorted(records, ascending: false) == ["a", "b", "c"])
    }

    @Test("A flag matches its stored form 0 or 1; other kinds do not match each other")
    func conditions() {
        func matches(_ stored: TelemetryValue?, _ condition: TelemetryValue) -> Bool {
            TelemetryRecordQuery(recordType: "t", conditions: ["f": condition]).matches(record("r", stored))
        }
        #expect(matches(true, 1) && matches(1, true) && matches(false, 0) && matches(0, false))
        #expect(!matches(2, true) && !matches(0, true) && !matches(nil, false))
        #expect(!matches("1", 1) && !matches(1, 1.0) && !matches(1.0, 1))
        #expect(matches("caf\u{e9}", "cafe\u{301}") && !matches("a", "A"))
        #expect(!TelemetryRecordQuery(recordType: "u").matches(record("r", nil)))
    }
}
