import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

/// Thousands of generated values; `TELEMETRY_SEED` repeats a run.
struct RoundTripTests {
    private static let count = 1_000

    private func check<Value: Equatable>(
        _ stream: UInt64, _ make: (inout Generated) -> Value, _ roundTrip: (Value) throws -> Value
    ) throws {
        var generated = Generated(stream: stream)
        for index in 0..<Self.count {
            let value = make(&generated)
            let result = try roundTrip(value)
            guard result != value else { continue }
            Issue.record("seed \(randomSeed), value \(index): \(value) became \(result)")
            return
        }
    }

    private func throughJSON<Value: Codable>(_ value: Value) throws -> Value { try fromJSON(try json(value)) }

    private func throughPropertyList<Value: Codable>(_ value: Value) throws -> Value {
        try PropertyListDecoder().decode(Value.self, from: PropertyListEncoder().encode(value))
    }

    private func throughRecord<Value: TelemetryRecordConvertible>(_ value: Value) throws -> Value {
        let record = value.toRecord()
        #expect(TelemetrySchema.validate(record).isEmpty)
        return try Value(record: fromJSON(try json(record)))
    }

    @Test("Values survive JSON") func values() throws { try check(1, { $0.value() }, throughJSON) }
    @Test("Records survive JSON") func records() throws { try check(2, { $0.record() }, throughJSON) }
    @Test("Events survive JSON") func events() throws { try check(3, { $0.event() }, throughJSON) }
    @Test("Settings survive JSON") func settings() throws { try check(4, { $0.settings() }, throughJSON) }
    @Test("Settings survive a property list") func settingsInPropertyList() throws {
        try check(4, { $0.settings() }, throughPropertyList)
    }
    @Test("Device information survives JSON") func devices() throws { try check(5, { $0.device() }, throughJSON) }

    @Test("Events survive a record, and the record JSON") func eventRecords() throws {
        try check(6, { $0.event() }, throughRecord)
    }
    @Test("Clients survive a record, and the record JSON") func clientRecords() throws {
        try check(7, { $0.client() }, throughRecord)
    }
    @Test("Scenarios survive a record, and the record JSON") func scenarioRecords() throws {
        try check(8, { $0.scenario() }, throughRecord)
    }
    @Test("Commands survive a record, and the record JSON") func commandRecords() throws {
        try check(9, { $0.command() }, throughRecord)
    }
    @Test("Rules survive a record, and the record JSON") func ruleRecords() throws {
        try check(11, { $0.rule() }, throughRecord)
    }
    @Test("States of scenarios survive JSON") func states() throws { try check(12, { $0.scenarioState() }, throughJSON) }

    @Test("Applying a value changes only its own fields")
    func applying() throws {
        var generated = Generated(stream: 10)
        let own = Set(TelemetrySchema.CommandField.allCases.map(\.rawValue))
        for _ in 0..<Self.count {
            var record = TelemetryRecord(
                recordType: TelemetryCommandRecord.recordType, recordID: .init(recordName: generated.text()))
            for (field, value) in generated.fields() { record["x\(field)"] = value }
            record.changeTag = generated.text()
            let (before, after) = (generated.command(), generated.command())
            let first = try before.applying(to: record)
            let second = try after.applying(to: first)
            #expect(second.recordID == record.recordID && second.changeTag == record.changeTag)
            for field in record.allKeys() { #expect(second[field] == record[field]) }
            #expect(Set(second.allKeys()).subtracting(record.allKeys()).isSubset(of: own))
            let read = try TelemetryCommandRecord(record: second)
            #expect(read.commandId == after.commandId && read.scenarioName == after.scenarioName)
            #expect(read.executedAt == after.executedAt && read.errorMessage == after.errorMessage)
        }
    }
}
