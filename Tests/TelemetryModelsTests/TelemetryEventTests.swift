import Dispatch
import Foundation
import TelemetryModels
import Testing

struct TelemetryEventTests {
    @Test("An event created from a session and a name has the defaults")
    func defaults() {
        let before = Date.now
        let event = TelemetryEvent(sessionId: "s", name: "n")
        #expect((before...Date.now).contains(event.timestamp))
        #expect(event.clientId == nil && event.property1 == nil && event.scenario == nil && event.attributes.isEmpty)
        #expect(event.sequence == 0 && event.level == .info)
        #expect(event.device == .current && event.threadId == CurrentThread.identifier)
        #expect(event.id == event.eventId)
    }

    @Test("Events without a given identifier get unique ones, from any thread")
    func uniqueIdentifiers() async {
        let ids = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<1_000).map { _ in TelemetryEvent(sessionId: "s", name: "n").eventId } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 8_000)
    }

    @Test("A sequence is limited to the largest storable one", arguments: [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
    func sequence(sequence: UInt64) throws {
        let event = TelemetryEvent(sessionId: "s", sequence: sequence, name: "n")
        #expect(event.sequence == min(sequence, UInt64(Int64.max)))
        #expect(try TelemetryEvent(record: event.toRecord()).sequence == event.sequence)
    }

    @Test("An event's record has the event's identifier, and every field under its schema name")
    func record() {
        let event = TelemetryEvent(
            eventId: "e", clientId: "c", sessionId: "s", sequence: 3, name: "n", threadId: "t", property1: "p",
            attributes: ["a": 1], scenario: "Net", level: .diagnostic)
        let record = event.toRecord()
        #expect(record.recordID == "e")
        #expect(Set(record.allKeys()) == Set(TelemetrySchema.Field.allCases.map(\.rawValue)))
        #expect(record["clientid"] == "c" && record["sequence"] == 3 && record["scenario"] == "Net")
        #expect(record["logLevel"] == "diagnostic" && record["attributes"] == #"{"a":1}"#)
    }

    @Test("A record with only a name, a session and a time has the defaults, and its record name as the event identifier")
    func bareRecord() throws {
        var record = TelemetryRecord(recordType: "TelemetryEvent", recordID: "r")
        record["eventName"] = "n"
        record["sessionId"] = "s"
        record["eventTimestamp"] = .date(.distantPast)
        let event = try TelemetryEvent(record: record)
        #expect(
            event
                == TelemetryEvent(
                    eventId: "r", sessionId: "s", name: "n", timestamp: .distantPast, threadId: CurrentThread.identifier))
    }

    @Test("An optional field that cannot be read has its default")
    func oddFields() throws {
        var record = TelemetryEvent(sessionId: "s", name: "n", attributes: ["a": 1], level: .diagnostic).toRecord()
        record["logLevel"] = "shout"
        record["sequence"] = -5
        record["attributes"] = "not JSON"
        let event = try TelemetryEvent(record: record)
        #expect(event.level == .info && event.sequence == 0 && event.attributes.isEmpty)
    }

    @Test("The logger's event identifiers are made of the session and the number")
    func loggersIdentifiers() {
        for session in ["s", "", "é-\u{1F600}", String(repeating: "x", count: 100)] {
            for number: UInt64 in [0, 7, 10, 1_234_567_890, .max] {
                #expect(EventIdentifier.make(sessionId: session, sequence: number) == "\(session)-\(number)")
            }
        }
        let prefixes = (0..<1_000).map { _ in EventIdentifier.randomPrefix() }
        #expect(Set(prefixes).count == 1_000)
        for prefix in prefixes {
            #expect(prefix.utf8.count == 26 && prefix.allSatisfy { "0123456789abcdefghjkmnpqrstvwxyz".contains($0) })
        }
    }

    @Test("A thread's number does not change, and two threads have different numbers")
    func threads() async {
        #expect(CurrentThread.number == CurrentThread.number)
        #expect(CurrentThread.identifier == "\(CurrentThread.number)")
        let (numbers, continuation) = AsyncStream.makeStream(of: UInt64.self)
        // Both threads run until both numbers are read, so that the second cannot reuse the first one's number.
        let end = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread {
                continuation.yield(CurrentThread.number)
                end.wait()
            }.start()
        }
        var seen: Set<UInt64> = []
        for await number in numbers.prefix(2) { seen.insert(number) }
        for _ in 0..<2 { end.signal() }
        #expect(seen.count == 2)
    }

    @Test("Levels are ordered: info before diagnostic")
    func levels() {
        #expect(TelemetryLogLevel.info.rawValue == "info" && TelemetryLogLevel.diagnostic.rawValue == "diagnostic")
        #expect(TelemetryLogLevel.allCases == [.info, .diagnostic])
        #expect(TelemetryLogLevel.info < .diagnostic)
        #expect(!(TelemetryLogLevel.diagnostic < .info) && !(TelemetryLogLevel.info < .info))
    }
}
