import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of one event line, before the header's values are added.
struct EventDraft {
    /// The strings and the second read last; they repeat often and are reused.
    struct Recent {
        var texts = TextPool()
        var timestamps = TimestampReader()
    }

    private enum Identifier { case ofSequence, number(UInt64), whole(String) }

    private var sequence: UInt64?
    private var identifier = Identifier.ofSequence
    private var time: Date?
    private var name: String?
    private var threadId: String?
    private var scenario: String??
    private var level: TelemetryLogLevel?
    private var property1: String?
    private var attributes: [String: TelemetryValue] = [:]

    /// Reads the value of a key; false if it has the wrong type, or is a number that the header does not explain.
    mutating func read(
        _ key: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner, _ recent: inout Recent, below context: EventContext?
    ) -> Bool {
        if key.isIdentical(to: "seq") {
            sequence = scanner.unsigned()
            return sequence != nil
        } else if key.isIdentical(to: "time") {
            time = Self.time(&scanner, &recent, context?.tables.start)
            return time != nil
        } else if key.isIdentical(to: "name") {
            name = Self.text(&scanner, &recent, context?.tables.names)
            return name != nil
        } else if key.isIdentical(to: "id") {
            return readIdentifier(&scanner)
        } else if key.isIdentical(to: "thread") {
            threadId = Self.text(&scanner, &recent, context?.tables.threads)
            return threadId != nil
        } else if key.isIdentical(to: "scenario") {
            if scanner.consume(literal: "null") {
                scenario = .some(nil)
                return true
            }
            guard let text = Self.text(&scanner, &recent, context?.tables.scenarios) else { return false }
            scenario = text
            return true
        } else if key.isIdentical(to: "level") {
            guard let level = Self.level(&scanner) else { return false }
            self.level = level
            return true
        } else if key.isIdentical(to: "text") {
            property1 = scanner.string()
            return property1 != nil
        } else if key.isIdentical(to: "attributes") {
            return readAttributes(&scanner)
        }
        return scanner.skipValue()
    }

    /// Reads a line with its keys in the order in which ``EventLineEncoder`` writes them, after its first brace. False for any other
    /// line, which is then read key by key.
    mutating func readWritten(_ scanner: inout JSONScanner, _ recent: inout Recent, below context: EventContext) -> Bool {
        guard scanner.consume(exactly: "\"seq\":"), let sequence = scanner.unsigned() else { return false }
        self.sequence = sequence
        if scanner.consume(exactly: ",\"id\":"), !readIdentifier(&scanner) { return false }
        guard scanner.consume(exactly: ",\"time\":"), let time = Self.time(&scanner, &recent, context.tables.start),
            scanner.consume(exactly: ",\"name\":"), let name = Self.text(&scanner, &recent, context.tables.names)
        else { return false }
        self.time = time
        self.name = name
        if scanner.consume(exactly: ",\"thread\":") {
            threadId = Self.text(&scanner, &recent, context.tables.threads)
            if threadId == nil { return false }
        }
        if scanner.consume(exactly: ",\"scenario\":") {
            if scanner.consume(exactly: "null") {
                scenario = .some(nil)
            } else {
                guard let text = Self.text(&scanner, &recent, context.tables.scenarios) else { return false }
                scenario = text
            }
        }
        if scanner.consume(exactly: ",\"level\":") {
            level = Self.level(&scanner)
            if level == nil { return false }
        }
        if scanner.consume(exactly: ",\"text\":") {
            property1 = scanner.string()
            if property1 == nil { return false }
        }
        if scanner.consume(exactly: ",\"attributes\":"), !readAttributes(&scanner) { return false }
        return scanner.consume(exactly: "}") && scanner.isAtEnd()
    }

    /// A text, or its number in the header's table.
    @inline(__always)
    private static func text(_ scanner: inout JSONScanner, _ recent: inout Recent, _ table: TextTable?) -> String? {
        if scanner.peek() == UInt8(ascii: "\"") { return scanner.string(from: &recent.texts) }
        return scanner.unsigned().flatMap { table?.text($0) }
    }

    /// A date, or the milliseconds after the header's start.
    @inline(__always)
    private static func time(_ scanner: inout JSONScanner, _ recent: inout Recent, _ start: Int64?) -> Date? {
        if scanner.peek() == UInt8(ascii: "\"") { return scanner.rawString().flatMap { recent.timestamps.date(from: $0.bytes) } }
        return start.flatMap { TimeOffset.date(&scanner, after: $0) }
    }

    /// A level; `.info` for one that a later version may have added.
    private static func level(_ scanner: inout JSONScanner) -> TelemetryLogLevel? {
        guard let raw = scanner.rawString() else { return nil }
        if let level = TelemetryLogLevel(bytes: raw.bytes) { return level }
        return JSONScanner.text(ofRaw: raw.bytes).map { TelemetryLogLevel(rawValue: $0) ?? .info }
    }

    private mutating func readIdentifier(_ scanner: inout JSONScanner) -> Bool {
        if scanner.peek() == UInt8(ascii: "\"") {
            guard let whole = scanner.string() else { return false }
            identifier = .whole(whole)
        } else {
            guard let number = scanner.unsigned() else { return false }
            identifier = .number(number)
        }
        return true
    }

    private mutating func readAttributes(_ scanner: inout JSONScanner) -> Bool {
        scanner.readObject { key, scanner in
            guard let name = JSONScanner.text(ofRaw: key), let value = scanner.value() else { return false }
            attributes[name] = value
            return true
        }
    }

    /// The event; nil if the line is incomplete or does not match the header.
    @inline(__always)
    func event(below context: EventContext) -> TelemetryEvent? {
        guard let sequence, let time, let name else { return nil }
        let eventId: String
        switch identifier {
        case .ofSequence: eventId = EventIdentifier.make(sessionId: context.sessionId, sequence: sequence)
        case .number(let number):
            guard let prefix = context.idPrefix else { return nil }
            eventId = EventIdentifier.make(sessionId: prefix, sequence: number)
        case .whole(let text): eventId = text
        }
        return TelemetryEvent(
            eventId: eventId, clientId: context.clientId, sessionId: context.sessionId, sequence: sequence, name: name,
            timestamp: time, device: context.device, threadId: threadId ?? context.threadId, property1: property1,
            attributes: attributes, scenario: scenario ?? context.scenario, level: level ?? context.level)
    }
}
