import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

extension Data {
    /// Returns whether the body reads all of the bytes as one JSON text.
    func withScanner(_ body: (inout JSONScanner) -> Bool) -> Bool {
        withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes.bindMemory(to: UInt8.self))
            return body(&scanner) && scanner.isAtEnd()
        }
    }
}

/// JSON in the relay's format. `null` is treated as a missing member.
extension JSONScanner {
    /// Reads an object. Calls `member` at the value of each member that is not null; `member` must consume the value.
    mutating func readMembers(_ member: (_ key: UnsafeBufferPointer<UInt8>, inout JSONScanner) -> Bool) -> Bool {
        readObject { key, scanner in
            if scanner.peek() == UInt8(ascii: "n") { return scanner.consume(literal: "null") }
            return member(key, &scanner)
        }
    }

    mutating func read(_ text: inout String) -> Bool {
        guard let read = string() else { return false }
        text = read
        return true
    }

    mutating func read(_ text: inout String?) -> Bool {
        text = string()
        return text != nil
    }

    mutating func read(_ flag: inout Bool) -> Bool {
        flag = peek() == UInt8(ascii: "t")
        return consume(literal: flag ? "true" : "false")
    }

    /// Reads an integer of at least 0. A number that is too large becomes `Int.max`.
    mutating func read(_ number: inout Int) -> Bool {
        guard let read = unsigned() else { return false }
        number = Int(clamping: read)
        return true
    }

    /// Reads the value of a field or an attribute. A number without a fraction and an exponent is an integer, any other one a
    /// double.
    mutating func wireValue() -> TelemetryValue? {
        switch peek() {
        case UInt8(ascii: "\""): return string().map(TelemetryValue.string)
        case UInt8(ascii: "t"): return consume(literal: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return consume(literal: "false") ? .bool(false) : nil
        case UInt8(ascii: "{"): return taggedWireValue()
        default: return rawNumber().flatMap { Self.wireNumber(String(decoding: $0, as: UTF8.self)) }
        }
    }

    private static func wireNumber(_ text: String) -> TelemetryValue? {
        let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        if isWhole, let number = Int64(text) { return .int(number) }
        return Double(text).map(TelemetryValue.double)
    }

    private mutating func taggedWireValue() -> TelemetryValue? {
        var value: TelemetryValue?
        let isRead = readMembers { key, scanner in
            if key.isIdentical(to: "date") {
                value = scanner.string().flatMap { TimestampFormat.date(from: $0) }.map(TelemetryValue.date)
                return value != nil
            }
            if key.isIdentical(to: "double"), value == nil {
                let text =
                    scanner.peek() == UInt8(ascii: "\"")
                    ? scanner.string() : scanner.rawNumber().map { String(decoding: $0, as: UTF8.self) }
                value = text.flatMap(TelemetryValue.number(from:)).map(TelemetryValue.double)
                return value != nil
            }
            return scanner.skipValue()
        }
        return isRead ? value : nil
    }

    /// Reads fields or attributes by name.
    mutating func wireValues() -> [String: TelemetryValue]? {
        var values: [String: TelemetryValue] = [:]
        let isRead = readMembers { key, scanner in
            guard let name = Self.text(ofRaw: key), let value = scanner.wireValue() else { return false }
            values[name] = value
            return true
        }
        return isRead ? values : nil
    }

    mutating func wireRecord() -> TelemetryRecord? {
        var type: String?
        var name: String?
        var tag: String?
        var fields: [String: TelemetryValue] = [:]
        let isRead = readMembers { key, scanner in
            if key.isIdentical(to: "recordType") { return scanner.read(&type) }
            if key.isIdentical(to: "recordName") { return scanner.read(&name) }
            if key.isIdentical(to: "changeTag") { return scanner.read(&tag) }
            if key.isIdentical(to: "fields") {
                guard let values = scanner.wireValues() else { return false }
                fields = values
                return true
            }
            return scanner.skipValue()
        }
        guard isRead, let type, let name else { return nil }
        var record = TelemetryRecord(recordType: type, recordID: .init(recordName: name))
        record.changeTag = tag
        for (field, value) in fields { record[field] = value }
        return record
    }

    mutating func wireRecords() -> [TelemetryRecord]? {
        var records: [TelemetryRecord] = []
        let isRead = readArray { scanner in
            guard let record = scanner.wireRecord() else { return false }
            records.append(record)
            return true
        }
        return isRead ? records : nil
    }
}
