import Foundation
import TelemetryModels

/// Encodes and decodes attributes.
enum AttributeCoding {
    @inline(__always)
    static func maximumBytes(of attributes: some Collection<(key: String, value: TelemetryValue)>) -> Int {
        if attributes.isEmpty { return 0 }
        return attributes.reduce(FrameWriter.lengthBytes) { size, attribute in
            let value = if case .string(let text) = attribute.value { FrameWriter.size(of: text) } else { 8 }
            return size + FrameWriter.size(of: attribute.key) + 1 + value
        }
    }

    /// Writes attributes with different names.
    @inline(__always)
    static func write(_ attributes: some Collection<(key: String, value: TelemetryValue)>, to writer: inout FrameWriter) {
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

    /// Calls the body with the place of each name, and with its value. Returns false if the attributes cannot be read.
    @inline(__always)
    static func forEach(in reader: inout FrameReader, _ body: (_ name: Range<Int>, _ value: Value) -> Void) -> Bool {
        guard let count = reader.readCompact() else { return false }
        for _ in 0..<count {
            guard let name = reader.readRange(), let value = readValue(from: &reader) else { return false }
            body(name, value)
        }
        return true
    }

    /// A value in a frame.
    enum Value {
        /// The place of a text.
        case text(Range<Int>)
        case other(TelemetryValue)
    }

    @inline(__always)
    private static func readValue(from reader: inout FrameReader) -> Value? {
        switch reader.read(UInt8.self) {
        case 0: reader.readRange().map(Value.text)
        case 1: reader.read(Int64.self).map { .other(.int($0)) }
        case 2: reader.read(Double.self).map { .other(.double($0)) }
        case 3: .other(.bool(false))
        case 4: .other(.bool(true))
        case 5: reader.read(Double.self).map { .other(.date(Date(timeIntervalSinceReferenceDate: $0))) }
        default: nil
        }
    }
}
