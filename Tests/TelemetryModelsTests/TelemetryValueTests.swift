import Foundation
import TelemetryModels
import Testing

struct TelemetryValueTests {
    @Test("Literals make values of their kind")
    func literals() {
        let values: [TelemetryValue] = ["x", 1, 1.5, true]
        #expect(values == [.string("x"), .int(1), .double(1.5), .bool(true)])
    }

    @Test("Each accessor reads its own kind; flags and 0 and 1 read as each other")
    func accessors() {
        let date = Date(timeIntervalSince1970: 0)
        let rows: [(TelemetryValue, String?, Int64?, Double?, Bool?, Date?)] = [
            ("x", "x", nil, nil, nil, nil), (0, nil, 0, nil, false, nil), (1, nil, 1, nil, true, nil),
            (2, nil, 2, nil, nil, nil), (.int(-1), nil, -1, nil, nil, nil), (1.0, nil, nil, 1.0, nil, nil),
            (true, nil, 1, nil, true, nil), (false, nil, 0, nil, false, nil), (.date(date), nil, nil, nil, nil, date),
            ("true", "true", nil, nil, nil, nil),
        ]
        for (value, string, int, double, bool, moment) in rows {
            #expect(value.stringValue == string && value.intValue == int && value.doubleValue == double, "\(value)")
            #expect(value.boolValue == bool && value.dateValue == moment, "\(value)")
        }
    }

    @Test("Values of different kinds are different values")
    func kinds() {
        let values: [TelemetryValue] = [.int(1), .double(1), .bool(true), "1", .date(Date(timeIntervalSinceReferenceDate: 1))]
        #expect(Set(values).count == 5)
    }

    @Test("Canonically equal texts are one value, one field and one identity")
    func canonicalEquivalence() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(TelemetryValue.string(composed) == .string(decomposed))
        var record = TelemetryRecord(recordType: composed, recordID: .init(recordName: composed))
        record[composed] = 1
        record[decomposed] = 2
        #expect(record.fields == [composed: 2])
        #expect(record.allKeys().count == 1)
        #expect(record.recordID == .init(recordName: decomposed))
        #expect(Set([TelemetryRecord.ID(recordName: composed), .init(recordName: decomposed), "CAF\u{c9}"]).count == 2)
    }

    @Test("A record's fields are set, removed and listed by name")
    func record() {
        var record = TelemetryRecord(recordType: "t")
        #expect(record.allKeys().isEmpty && record.changeTag == nil && record.id == record.recordID)
        #expect(record.recordID != TelemetryRecord(recordType: "t").recordID)
        record["b"] = 1
        record["a"] = "x"
        record["c"] = true
        record["b"] = nil
        #expect(record.allKeys() == ["a", "c"] && record["b"] == nil && record["a"] == "x")
        let id: TelemetryRecord.ID = "literal"
        #expect(id.recordName == "literal" && "\(id)" == "literal")
    }
}
