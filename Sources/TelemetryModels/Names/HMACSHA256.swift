/// HMAC-SHA256 as in RFC 2104, to avoid a dependency.
package enum HMACSHA256 {
    private static let blockSize = 64

    /// Returns the code as 64 lower-case hexadecimal digits.
    package static func hexDigest(of message: [UInt8], key: [UInt8]) -> String {
        var block = key.count > blockSize ? SHA256.digest(of: key) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return SHA256.hexDigest(of: block.map { $0 ^ 0x5C } + inner)
    }
}
