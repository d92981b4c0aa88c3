/// A moment to the nanosecond, which a `Date` cannot hold. It orders events by the digits that they came with.
public struct RelayTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1 January 1970, UTC; negative before.
    public let seconds: Int64
    /// 0 ..< 1,000,000,000.
    public let nanoseconds: Int32

    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Reads `2026-11-21T08:00:00.123456789Z`: RFC 3339 in UTC with no or one to nine digits of fraction; nil for anything else.
    public init?(_ text: String) {
        var text = text
        let parsed = text.withUTF8 { bytes -> RelayTime? in
            guard let seconds = TimestampFormat.seconds(from: bytes), bytes.count <= 30,
                bytes[bytes.count - 1] == UInt8(ascii: "Z")
            else { return nil }
            if bytes.count == 20 { return RelayTime(seconds: seconds) }
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21 else { return nil }
            var nanoseconds: Int32 = 0
            for index in 20..<29 {
                guard index < bytes.count - 1 else {
                    nanoseconds *= 10
                    continue
                }
                let digit = bytes[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                nanoseconds = nanoseconds * 10 + Int32(digit)
            }
            return RelayTime(seconds: seconds, nanoseconds: nanoseconds)
        }
        guard let parsed else { return nil }
        self = parsed
    }

    public static func < (lhs: RelayTime, rhs: RelayTime) -> Bool {
        (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
    }
}
