import Foundation
import TelemetryModels
import Testing

struct TypedFieldTests {
    @Test("A value of each type is stored without wrapping, and read back with its type")
    func roundTrip() {
        var record = TelemetryRecord(recordType: "Thing")
        let (name, count, wide, ratio, flag, date) = ("n", 7, Int64.max, 0.5, true, Date(timeIntervalSince1970: 1.5))
        record["name"] = name
        record["count"] = count
        record["wide"] = wide
        record["ratio"] = ratio
        record["flag"] = flag
        record["date"] = date
        #expect(
            record.fields == [
                "name": .string("n"), "count": .int(7), "wide": .int(.max), "ratio": .double(0.5), "flag": .bool(true),
                "date": .date(date),
            ])
        let texts: String? = record["name"]
        let counts: Int? = record["count"]
        let flags: Bool? = record["flag"]
        #expect(texts == "n" && counts == 7 && flags == true)
        #expect(record.string("name") == "n" && record.int("wide") == .max && record.double("ratio") == 0.5)
        #expect(record.bool("flag") == true && record.date("date") == date)
    }

    @Test("A field of another type, or none, reads as nil")
    func otherTypes() {
        var record = TelemetryRecord(recordType: "Thing")
        record["name"] = "n"
        #expect(record.int("name") == nil && record.double("name") == nil && record.date("name") == nil)
        #expect(record.bool("name") == nil && record.string("missing") == nil)
        let number: Int? = record["name"]
        #expect(number == nil)
    }

    @Test("The stored form 0 or 1 of a flag reads as a Boolean and as a number")
    func flags() {
        var record = TelemetryRecord(recordType: "Thing")
        record["stored"] = 1
        record["flag"] = false
        #expect(record.bool("stored") == true && record.int("flag") == 0)
    }

    @Test("Setting nil removes a field; literals and wrapped values are stored as before")
    func literals() {
        var record = TelemetryRecord(recordType: "Thing")
        record["a"] = "text"
        record["b"] = .string("text")
        record["c"] = 1.5
        #expect(record["a"] == record["b"])
        #expect(record["c"] == .double(1.5))
        record["a"] = nil
        let none: String? = nil
        record["b"] = none
        #expect(record.allKeys() == ["c"])
    }
}
