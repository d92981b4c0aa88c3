import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads what ``EventLineEncoder`` writes, whatever the order of the keys; keys that it does not know are passed over.
struct EventLineDecoder {
    enum Line {
        case event(TelemetryEvent)
        case header
        /// An empty line, where an event was deleted, or a segment's first line.
        case nothing
        case corrupt
    }

    /// The header in force.
    var context: EventContext?

    mutating func decode(_ line: UnsafeBufferPointer<UInt8>) -> Line {
        if line.isEmpty { return .nothing }
        var scanner = JSONScanner(line)
        var draft = EventDraft()
        var header: EventContext?
        var isSegment = false
        let isObject = scanner.readObject { key, scanner in
            switch key.first {
            case UInt8(ascii: "h") where key.elementsEqual("header".utf8):
                header = Self.header(&scanner)
                return header != nil
            case UInt8(ascii: "s") where key.elementsEqual("segment".utf8):
                isSegment = true
                return scanner.skipValue()
            default: return draft.read(key, &scanner)
            }
        }
        guard isObject, scanner.isAtEnd() else { return .corrupt }
        if let header {
            context = header
            return .header
        }
        if isSegment { return .nothing }
        return context.flatMap(draft.event(below:)).map(Line.event) ?? .corrupt
    }

    private static func header(_ scanner: inout JSONScanner) -> EventContext? {
        var texts: [String: String] = [:]
        let isObject = scanner.readObject { key, scanner in
            guard scanner.peek() == UInt8(ascii: "\"") else { return scanner.skipValue() }
            texts[String(decoding: key, as: UTF8.self)] = scanner.string()
            return true
        }
        guard isObject, let session = texts["session"] else { return nil }
        return EventContext(
            clientId: texts["client"], sessionId: session, idPrefix: texts["ids"],
            device: TelemetryDeviceInfo(
                deviceType: texts["deviceType"] ?? "", deviceName: texts["deviceName"] ?? "",
                deviceModel: texts["deviceModel"] ?? "", osVersion: texts["osVersion"] ?? "",
                appVersion: texts["appVersion"] ?? ""),
            threadId: texts["thread"] ?? "", scenario: texts["scenario"],
            level: texts["level"].flatMap(TelemetryLogLevel.init) ?? .info)
    }
}

/// What one event line says, before the header's part is added.
struct EventDraft {
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

    mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        if key.elementsEqual("seq".utf8) {
            sequence = scanner.unsigned()
            return sequence != nil
        } else if key.elementsEqual("time".utf8) {
            time = scanner.rawString().flatMap { TimestampFormat.date(from: $0.bytes) }
            return time != nil
        } else if key.elementsEqual("name".utf8) {
            name = scanner.string()
            return name != nil
        } else if key.elementsEqual("id".utf8) {
            return readIdentifier(&scanner)
        } else if key.elementsEqual("thread".utf8) {
            threadId = scanner.string()
            return threadId != nil
        } else if key.elementsEqual("scenario".utf8) {
            if scanner.consume(literal: "null") {
                scenario = .some(nil)
                return true
            }
            scenario = scanner.string()
            return scenario != nil
        } else if key.elementsEqual("level".utf8) {
            level = scanner.string().flatMap(TelemetryLogLevel.init) ?? .info
            return true
        } else if key.elementsEqual("property1".utf8) {
            property1 = scanner.string()
            return property1 != nil
        } else if key.elementsEqual("attributes".utf8) {
            return readAttributes(&scanner)
        }
        return scanner.skipValue()
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
            // A key has escapes as rarely as it has not; the scanner that reads strings reads both.
            var keys = JSONScanner(UnsafeBufferPointer(start: key.baseAddress.map { $0 - 1 }, count: key.count + 2))
            guard let name = keys.string(), let value = scanner.value() else { return false }
            attributes[name] = value
            return true
        }
    }

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
