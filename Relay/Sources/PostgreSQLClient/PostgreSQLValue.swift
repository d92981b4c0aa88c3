#if PostgreSQL
import CPostgreSQL
package import Foundation

/// A parameter of a statement, or a column of its result, in binary form.
package enum PostgreSQLValue: Sendable, Equatable {
    case null
    /// A `bigint`; in results also a smaller integer or a `boolean`.
    case int(Int64)
    /// A `double precision`.
    case double(Double)
    case text(String)
    /// A `bytea`.
    case bytes(Data)
    case doubles([Double])
    case byteStrings([Data])

    /// The object identifiers of types (PostgreSQL, `pg_type.dat`).
    private enum ObjectIdentifier {
        static let boolean: Oid = 16
        static let bytea: Oid = 17
        static let name: Oid = 19
        static let bigint: Oid = 20
        static let smallint: Oid = 21
        static let integer: Oid = 23
        static let text: Oid = 25
        static let double: Oid = 701
        static let byteaArray: Oid = 1001
        static let doubleArray: Oid = 1022
        static let varchar: Oid = 1043
        static let void: Oid = 2278
    }

    /// The type of a parameter; 0 lets the server choose it.
    var type: Oid {
        switch self {
        case .null: 0
        case .int: ObjectIdentifier.bigint
        case .double: ObjectIdentifier.double
        case .text: ObjectIdentifier.text
        case .bytes: ObjectIdentifier.bytea
        case .doubles: ObjectIdentifier.doubleArray
        case .byteStrings: ObjectIdentifier.byteaArray
        }
    }

    /// A column of a result.
    init(_ bytes: UnsafeRawBufferPointer, type: Oid) throws {
        var bits: UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch (type, bytes.count) {
        case (ObjectIdentifier.boolean, 1), (ObjectIdentifier.bigint, 8): self = .int(Int64(bitPattern: bits))
        case (ObjectIdentifier.smallint, 2): self = .int(Int64(Int16(truncatingIfNeeded: bits)))
        case (ObjectIdentifier.integer, 4): self = .int(Int64(Int32(truncatingIfNeeded: bits)))
        case (ObjectIdentifier.double, 8): self = .double(Double(bitPattern: bits))
        case (ObjectIdentifier.bytea, _): self = .bytes(Data(bytes))
        case (ObjectIdentifier.text, _), (ObjectIdentifier.name, _), (ObjectIdentifier.varchar, _):
            self = .text(String(decoding: bytes, as: UTF8.self))
        case (ObjectIdentifier.void, _): self = .null
        default: throw PostgreSQLError(.decoding, "a result has the type \(type)")
        }
    }

    /// The approximate number of bytes.
    var size: Int {
        switch self {
        case .null: 0
        case .int, .double: 8
        case .text(let value): value.utf8.count
        case .bytes(let value): value.count
        case .doubles(let values): values.count * 12
        case .byteStrings(let values): values.reduce(0) { $0 + $1.count + 4 }
        }
    }

    /// The bytes that the server expects; nil for null.
    var encoded: Data? {
        switch self {
        case .null: nil
        case .int(let value): Self.bigEndian(value)
        case .double(let value): Self.bigEndian(value.bitPattern)
        case .text(let value): Data(value.utf8)
        case .bytes(let value): value
        case .doubles(let values): Self.array(of: ObjectIdentifier.double, values.map { Self.bigEndian($0.bitPattern) })
        case .byteStrings(let values): Self.array(of: ObjectIdentifier.bytea, values)
        }
    }

    private static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }

    /// A one-dimensional array.
    private static func array(of type: Oid, _ elements: [Data]) -> Data {
        let header = elements.isEmpty ? [0, 0, Int32(type)] : [1, 0, Int32(type), Int32(elements.count), 1]
        var bytes = Data(header.map(bigEndian).joined())
        for element in elements { bytes += bigEndian(Int32(clamping: element.count)) + element }
        return bytes
    }
}
#endif
