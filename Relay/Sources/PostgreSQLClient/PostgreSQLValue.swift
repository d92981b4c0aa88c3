#if PostgreSQL
/// A parameter of a statement in binary form. The statement declares its type: `$1::bigint`.
package enum PostgreSQLValue: Sendable {
    case null
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case uuid(PostgreSQLKey)
    case int16s([Int16])
    case int32s([Int32])
    case int64s([Int64])
    case doubles([Double])
    case byteStrings([[UInt8]?])
    case uuids([PostgreSQLKey?])

    /// The bytes that the server expects; nil for null.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .bool(let value): [value ? 1 : 0]
        case .int32(let value): Self.bigEndian(value)
        case .int64(let value): Self.bigEndian(value)
        case .double(let value): Self.bigEndian(value.bitPattern)
        case .text(let value): Array(value.utf8)
        case .bytes(let value): value
        case .uuid(let value): value.bytes
        case .int16s(let values): Self.array(of: 21, values.count, values.lazy.map(Self.bigEndian))
        case .int32s(let values): Self.array(of: 23, values.count, values.lazy.map(Self.bigEndian))
        case .int64s(let values): Self.array(of: 20, values.count, values.lazy.map(Self.bigEndian))
        case .doubles(let values): Self.array(of: 701, values.count, values.lazy.map { Self.bigEndian($0.bitPattern) })
        case .byteStrings(let values): Self.array(of: 17, values.count, values)
        case .uuids(let values): Self.array(of: 2950, values.count, values.lazy.map { $0?.bytes })
        }
    }

    private static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// A one-dimensional array whose elements have the type with this object identifier.
    private static func array(of type: Int32, _ count: Int, _ elements: some Sequence<[UInt8]?>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + count * 20)
        let header = count == 0 ? [0, 0, type] : [1, 1, type, Int32(count), 1]
        for field in header { bytes += bigEndian(field) }
        for element in elements {
            bytes += bigEndian(Int32(clamping: element?.count ?? -1))
            if let element { bytes += element }
        }
        return bytes
    }
}

/// 128 bits, stored in a column of the type `uuid`.
package struct PostgreSQLKey: Sendable, Hashable, Comparable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: at least 16 bytes, the first of which are used.
    package init(_ bytes: some Sequence<UInt8>) {
        var words: [UInt64] = [0, 0]
        for (index, byte) in bytes.prefix(16).enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.init(high: words[0], low: words[1])
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.high, lhs.low) < (rhs.high, rhs.low) }
}
#endif
