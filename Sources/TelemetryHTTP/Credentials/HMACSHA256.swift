import TelemetryModels

/// HMAC-SHA256 as in RFC 2104, to avoid a dependency.
enum HMACSHA256 {
    private static let blockSize = 64

    /// Returns the code as 64 lower-case hexadecimal digits.
    static func hexDigest(of message: [UInt8], key: [UInt8]) -> String {
        var block = key.count > blockSize ? bytes(of: SHA256.digest(of: key)) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        let inner = bytes(of: SHA256.digest(of: block.map { $0 ^ 0x36 } + message))
        let code = bytes(of: SHA256.digest(of: block.map { $0 ^ 0x5C } + inner))
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(of words: [UInt32]) -> [UInt8] {
        words.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }
}
