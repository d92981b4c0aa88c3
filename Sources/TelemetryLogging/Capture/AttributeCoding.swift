import Foundation
import TelemetryModels

/// Encodes and decodes attributes.
enum AttributeCoding {
    static func maximumBytes(of attributes: [String: TelemetryValue]) -> Int {
        attributes.reduce(FrameWriter.lengthBytes) { size, attribute in
            let value = if case .string(let text) = attribute.value { FrameWriter.size(of: text) } else { 8 }
            return size + FrameWriter.size(of: attribute.key) + 1 + value
        }
    }

    static func write(_ attributes: [String: TelemetryValue], to writer: inout FrameWriter) {
        writer.write(compact: UInt64(attributes.count))
        for (key, value) in attributes {
            writer.write(text: key)
            switch value {
            case .string(let text):
                writer.write(UInt8(0))
                writer.write(text: text)
            case .int(let number):
                writer.write(UInt8(1))
                writer.write(number)
            case .double(let number):
                writer.write(UInt8(2))
                writer.write(number)
            case .bool(let isTrue): writer.write(UInt8(isTrue ? 4 : 3))
            case .date(let date):
                writer.write(UInt8(5))
                writer.write(date.timeIntervalSinceReferenceDate)
            }
        }
    }

    static func read(from reader: inout FrameReader) -> [String: TelemetryValue]? {
        guard let count = reader.readCompact() else { return nil }
        var attributes: [String: TelemetryValue] = [:]
        for _ in 0..<count {
            guard let key = reader.readText(), let value = readValue(from: &reader) else { return nil }
            attributes[key] = value
        }
        return attributes
    }

    private static func readValue(from reader: inout FrameReader) -> TelemetryValue? {
        switch reader.read(UInt8.self) {
        case 0: reader.readText().map(TelemetryValue.string)
        case 1: reader.read(Int64.self).map(TelemetryValue.int)
        case 2: reader.read(Double.self).map(TelemetryValue.double)
        case 3: .bool(false)
        case 4: .bool(true)
        case 5: reader.read(Double.self).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: nil
        }
    }
}
