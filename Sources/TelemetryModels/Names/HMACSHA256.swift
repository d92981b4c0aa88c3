/// HMAC-SHA256 as in RFC 2104, to avoid a dependency.
@_spi(Tooling) public enum HMACSHA256 {
    private static let blockSize = 64

    /// The 32 bytes of the code.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] { SHA256.digest(of: hashed(message, key: key)) }

    /// The code as 64 lower-case hexadecimal digits.
    package static func hexDigest(of message: [UInt8], key: [UInt8]) -> String {
        SHA256.hexDigest(of: hashed(message, key: key))
    }

    /// What the code is the hash of.
    private static func hashed(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockSize ? SHA256.digest(of: key) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return block.map { $0 ^ 0x5C } + inner
    }
}
