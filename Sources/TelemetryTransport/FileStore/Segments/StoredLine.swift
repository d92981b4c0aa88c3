@_spi(Tooling) import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event's line below its header. Values are read from the bytes when they are asked for; they are those of the decoded event.
final class StoredLine {
    /// Without its line feed. They must remain valid as long as the line is used.
    let bytes: UnsafeBufferPointer<UInt8>
    private let context: EventContext
    private let outline: EventLineOutline
    private let time: Date

    /// Nil for a line that is not an event in the form in which ``EventLineEncoder`` and the relay write it.
    init?(_ line: UnsafeBufferPointer<UInt8>, below context: EventContext) {
        guard let outline = EventLineOutline(line), outline.hasReadableAttributes,
            let time = Self.time(outline.time, line, context), Self.isKnown(outline.name, context.tables.names),
            outline.thread.map({ Self.isKnown($0, context.tables.threads) }) ?? true,
            (outline.scenario ?? nil).map({ Self.isKnown($0, context.tables.scenarios) }) ?? true
        else { return nil }
        if case .number? = outline.identifier, context.idPrefix == nil { return nil }
        (bytes, self.context, self.outline, self.time) = (line, context, outline, time)
    }

    private static func isKnown(_ text: EventLineOutline.Text, _ table: TextTable) -> Bool {
        if case .number(let number) = text { number < UInt64(table.texts.count) } else { true }
    }

    private static func time(
        _ time: EventLineOutline.Time, _ line: UnsafeBufferPointer<UInt8>, _ context: EventContext
    ) -> Date? {
        switch time {
        case .offset(let offset): context.tables.start.flatMap { TimeOffset.date(offset, after: $0) }
        case .date(let place): TimestampFormat.date(from: UnsafeBufferPointer(rebasing: line[place]))
        }
    }

    /// The decoded event.
    var event: TelemetryEvent {
        var attributes: [String: TelemetryValue] = [:]
        forEachAttribute { name, value in
            guard let read = value.value() else { return false }
            attributes[String(decoding: name, as: UTF8.self)] = read
            return true
        }
        return TelemetryEvent(
            eventId: identifier, clientId: context.clientId, sessionId: context.sessionId, sequence: UInt64(outline.sequence),
            name: string(outline.name, context.tables.names), timestamp: time, device: context.device, threadId: thread,
            property1: property1, attributes: attributes, scenario: scenario, level: level)
    }

    func value(of field: QueryField) -> TelemetryValue? {
        switch field {
        case .client: context.clientId.map(TelemetryValue.string)
        case .session: .string(context.sessionId)
        case .scenario: scenario.map(TelemetryValue.string)
        case .level: .string(level.rawValue)
        case .severity: .string(QuerySeverity(attribute: attribute, level: level).rawValue)
        case .name: .string(string(outline.name, context.tables.names))
        case .text: property1.map(TelemetryValue.string)
        case .time: .date(time)
        case .sequence: .int(outline.sequence)
        case .id: .string(identifier)
        case .thread: .string(thread)
        case .device: .string(context.device.deviceModel)
        case .app: .string(context.device.appVersion)
        case .attribute(let key): attribute(key)
        }
    }

    private var level: TelemetryLogLevel { outline.level ?? context.level }

    private var scenario: String? {
        guard let scenario = outline.scenario else { return context.scenario }
        return scenario.map { string($0, context.tables.scenarios) }
    }

    private var thread: String { outline.thread.map { string($0, context.tables.threads) } ?? context.threadId }
    private var property1: String? { text.map(Self.string) }

    private var identifier: String {
        switch outline.identifier {
        case nil: EventIdentifier.make(sessionId: context.sessionId, sequence: UInt64(outline.sequence))
        case .number(let number): EventIdentifier.make(sessionId: context.idPrefix ?? "", sequence: number)
        case .string(let place): Self.string(UnsafeBufferPointer(rebasing: bytes[place]))
        }
    }

    /// What a text is whose number is known, and whose string is valid.
    private func string(_ text: EventLineOutline.Text, _ table: TextTable) -> String {
        switch text {
        case .number(let number): table.text(number) ?? ""
        case .string(let place): Self.string(UnsafeBufferPointer(rebasing: bytes[place]))
        }
    }

    private static func string(_ raw: UnsafeBufferPointer<UInt8>) -> String { JSONScanner.text(ofRaw: raw) ?? "" }

    /// The raw bytes of the event's text.
    private var text: UnsafeBufferPointer<UInt8>? {
        outline.text.map { UnsafeBufferPointer(rebasing: bytes[$0.dropFirst().dropLast()]) }
    }

    private func attribute(_ key: String) -> TelemetryValue? {
        var result: TelemetryValue?
        forEachAttribute { name, value in
            guard key.withBytes({ $0.isIdentical(to: name) }) else { return value.skipValue() }
            result = value.value()
            return false
        }
        return result
    }

    /// Calls `body` with the name of each attribute, and at its value, which it must consume to be called again.
    private func forEachAttribute(_ body: (UnsafeBufferPointer<UInt8>, inout JSONScanner) -> Bool) {
        guard let place = outline.attributes else { return }
        var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[place]))
        _ = scanner.readObject(body)
    }

    func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        switch outline.name {
        case .number(let number): if context.tables.names.text(number)?.withBytes(isMatch) ?? false { return true }
        case .string(let place): if Self.isMatch(UnsafeBufferPointer(rebasing: bytes[place]), isMatch) { return true }
        }
        if let text, Self.isMatch(text, isMatch) { return true }
        var result = false
        forEachAttribute { _, value in
            if value.peek() == UInt8(ascii: "\"") {
                result = value.rawString().map { Self.isMatch($0.bytes, isMatch) } ?? false
            } else {
                result = value.value()?.queryText.withBytes(isMatch) ?? false
            }
            return !result
        }
        return result
    }

    /// Whether the string of raw bytes between quotation marks matches.
    private static func isMatch(
        _ raw: UnsafeBufferPointer<UInt8>, _ isMatch: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        raw.contains(UInt8(ascii: "\\")) ? string(raw).withBytes(isMatch) : isMatch(raw)
    }
}
