import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import ViewerKit

/// Parses values with both readers, which must agree, or writes values of any bits with all writers and reads them back.
enum ValueTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let mode = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if mode & 1 == 0 { read(rest) } else { write(value(of: rest)) }
    }

    private static func read(_ text: [UInt8]) {
        let line = LineAccess.value(text)
        if let line { write(line) }
        guard isPlainUTF8(text) else { return }
        readUntrusted(text)
        let coded = try? JSONDecoder().decode(TelemetryValue.self, from: Data(text))
        switch (line, coded) {
        case (nil, nil): break
        // Beyond 2^53 doubles are integers, and Foundation decodes them as such even with a fraction, which no writer writes.
        case (.double(let line)?, .int(let coded)?) where abs(line) >= 0x1p53 && abs(Double(coded) - line) <= line.ulp: break
        case (let line?, let coded?):
            require(Sameness.holds(line, coded), "\(String(decoding: text, as: UTF8.self)) is \(line) and \(coded)")
        case (let line?, nil): violated("only the line reader accepts \(String(decoding: text, as: UTF8.self)), as \(line)")
        case (nil, _?) where !StrictJSON.isValid(text): break
        case (nil, let coded?): violated("only Codable accepts \(String(decoding: text, as: UTF8.self)), as \(coded)")
        }
    }

    /// Reads the text as the relay does, which refuses valid JSON only by its limits.
    private static func readUntrusted(_ text: [UInt8]) {
        let shown = String(decoding: text, as: UTF8.self)
        do {
            try JSONReader.read(text) { try $0.skip() }
            require(StrictJSON.isValid(text), "the relay's reader accepts \(shown)")
            readValue(text, shown)
        } catch {
            let isLimit = ["nested deeper", StreamSafeText.fault].contains { "\(error)".contains($0) }
            let isJSON =
                StrictJSON.isValid(text)
                && (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
            require(isLimit || !isJSON, "the relay's reader refuses \(shown): \(error)")
        }
        try? JSONReader.read(text) { try $0.skipContainer() }
    }

    /// Reads a text that can be skipped as a value, of which only a number may be refused.
    private static func readValue(_ text: [UInt8], _ shown: String) {
        do {
            _ = try JSONReader.read(text) { try JSONValue(reading: &$0) }
        } catch {
            require((error as? JSONValue.Fault)?.reason == .number, "the value \(shown) cannot be read: \(error)")
        }
    }

    /// Whether the text is UTF-8 that Foundation cannot mistake for another encoding.
    private static func isPlainUTF8(_ text: [UInt8]) -> Bool {
        !text.contains(0) && !text.starts(with: [0xEF, 0xBB, 0xBF]) && !text.starts(with: [0xFF, 0xFE])
            && !text.starts(with: [0xFE, 0xFF]) && String(validating: text, as: UTF8.self) != nil
    }

    private static func value(of bytes: [UInt8]) -> TelemetryValue {
        bytes.withUnsafeBufferPointer { bytes in
            var input = ByteInput(bytes)
            switch input.number(below: 5) {
            case 0: return .double(Double(bitPattern: input.word()))
            case 1: return .int(Int64(bitPattern: input.word()))
            case 2: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: input.word())))
            case 3: return .bool(input.byte() & 1 == 1)
            default: return .string(String(decoding: input.rest(), as: UTF8.self))
            }
        }
    }

    private static func write(_ value: TelemetryValue) {
        let coded = try? JSONEncoder().encode([value])
        guard let line = LineAccess.text(of: value) else {
            return require(coded == nil, "Codable writes \(value), and the line writer does not")
        }
        guard let coded else { violated("the line writer writes \(value), and Codable does not") }
        let fromLine = LineAccess.value(line)
        require(fromLine.map { Sameness.holds(value, $0) } ?? false, "\(String(decoding: line, as: UTF8.self)) is not read back")
        let fromCoded = LineAccess.value(Array(coded.dropFirst().dropLast()))
        require(
            fromCoded.map { Sameness.holds(value, $0) } ?? false,
            "the line reader does not read \(String(decoding: coded, as: UTF8.self))")
        for text in [coded, Data("[".utf8) + Data(line) + Data("]".utf8)] {
            let read = try? JSONDecoder().decode([TelemetryValue].self, from: text)
            require(
                read?.first.map { Sameness.holds(value, $0) } ?? false,
                "Codable does not read \(String(decoding: text, as: UTF8.self))")
        }
    }
}
