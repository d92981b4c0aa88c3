import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
@_spi(Tooling) import TelemetryTransport

/// Writes stored events as JSON objects, with fields in the schema's order.
struct WireEventWriter {
    /// What the events below a header have in common.
    private struct Header {
        let content: WireLineHeader
        /// The members of the device's fields and the session.
        let origin: [UInt8]
    }

    private static let originFields: [TelemetrySchema.Field] = [
        .sessionId, .deviceType, .deviceName, .deviceModel, .osVersion, .appVersion,
    ]

    /// The maximum number of headers that are kept.
    private static let headersKept = 64

    /// The last header, and others that were read.
    private var last: (line: [UInt8], header: Header)?
    private var headers: [[UInt8]: Header] = [:]
    private var times = RelayTimeWriter()

    /// - Throws: ``RelayStorageError/corrupt(_:)``.
    mutating func write(_ event: RelayStoredEvent, to writer: inout JSONWriter) throws {
        let header = try header(event.header)
        let isWritten = event.line.withUnsafeBufferPointer { line in
            guard let outline = EventLineOutline(UnsafeBufferPointer(rebasing: line.dropLast())) else { return false }
            return write(outline, line, header, to: &writer)
        }
        guard isWritten else { throw BlockScanner.malformed }
    }

    private mutating func header(_ line: [UInt8]) throws -> Header {
        if let last, last.line == line { return last.header }
        let header = try headers[line] ?? Self.read(line)
        if headers.count >= Self.headersKept { headers.removeAll() }
        headers[line] = header
        last = (line, header)
        return header
    }

    private static func read(_ line: [UInt8]) throws -> Header {
        guard case .header(let content) = try? JSONReader.read(line, { try WireLine(&$0, below: nil, place: "") }) else {
            throw BlockScanner.malformed
        }
        var origin = JSONWriter()
        origin.object { writer in
            for field in originFields {
                if let text = content.fields.texts[field] { writer.member(field.rawValue, text) }
            }
        }
        return Header(content: content, origin: Array(origin.bytes.dropFirst().dropLast()))
    }

    /// Returns false if the line does not match its header.
    private mutating func write(
        _ event: EventLineOutline, _ line: UnsafeBufferPointer<UInt8>, _ header: Header, to writer: inout JSONWriter
    ) -> Bool {
        let texts = header.content.fields.texts
        var isComplete = true
        writer.object { writer in
            func write(_ field: TelemetrySchema.Field, _ text: EventLineOutline.Text, _ table: [String]) {
                writer.key(field.rawValue)
                switch text {
                case .number(let number) where number < table.count: writer.string(table[Int(number)])
                case .number:
                    isComplete = false
                    writer.string("")
                case .string(let place): writer.raw(line[place.lowerBound - 1..<place.upperBound + 1])
                }
            }
            func write(_ field: TelemetrySchema.Field, _ text: String?) {
                if let text { writer.member(field.rawValue, text) }
            }
            switch event.identifier {
            case nil: write(.eventId, "\(texts[.sessionId] ?? "")-\(event.sequence)")
            case .number(let number):
                if header.content.identifierPrefix == nil { isComplete = false }
                write(.eventId, "\(header.content.identifierPrefix ?? "")-\(number)")
            case .string(let place): write(.eventId, .string(place), [])
            }
            write(.eventName, event.name, header.content.names)
            switch event.time {
            case .date(let place): write(.eventTimestamp, .string(place), [])
            case .offset(let offset):
                let time = header.content.start.flatMap { WireLineTime.time(offset, after: $0) }
                if time == nil { isComplete = false }
                write(.eventTimestamp, time.map { times.text($0) })
            }
            writer.raw(header.origin)
            if let thread = event.thread {
                write(.threadId, thread, header.content.threads)
            } else {
                write(.threadId, texts[.threadId])
            }
            if let text = event.text {
                writer.key(TelemetrySchema.Field.property1.rawValue)
                writer.raw(line[text])
            }
            switch event.scenario {
            case nil: write(.scenario, texts[.scenario])
            case .some(nil): break
            case .some(let scenario?): write(.scenario, scenario, header.content.scenarios)
            }
            write(.logLevel, event.level?.rawValue ?? texts[.logLevel])
            write(.clientId, texts[.clientId])
            if event.sequence != 0 || event.hasExplicitZero {
                writer.member(TelemetrySchema.Field.sequence.rawValue, event.sequence)
            }
            if let place = event.attributes {
                writer.key(TelemetrySchema.Field.attributes.rawValue)
                isComplete = Self.write(attributes: line[place], isPlain: event.hasPlainAttributes, to: &writer) && isComplete
            }
        }
        return isComplete
    }

    private static func write(attributes: Slice<UnsafeBufferPointer<UInt8>>, isPlain: Bool, to writer: inout JSONWriter) -> Bool {
        if isPlain {
            writer.raw(attributes)
            return true
        }
        guard let values = try? JSONReader.read(attributes, { try WireEventFields.attributes(&$0, .lines, "") }) else {
            return false
        }
        writer.object { writer in
            for (name, value) in values {
                writer.key(name)
                value.write(to: &writer)
            }
        }
        return true
    }
}
