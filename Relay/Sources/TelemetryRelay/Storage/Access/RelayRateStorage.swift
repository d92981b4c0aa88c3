/// Shares the use of rate limits among the relays of a store, so that a limit holds for all of them together.
public protocol RelayRateStorage: Sendable {
    /// Adds this relay's use since the last call, and returns the use of all other relays since then. Called twice a second.
    func exchangeUse(_ use: [RelayRateSource: Double]) async throws -> [RelayRateSource: Double]
}

/// What a rate limit counts for, such as a token or a client: a hash, so that a store of rates contains no names or addresses.
public struct RelayRateSource: Sendable, Hashable {
    /// 16 bytes, the first of which is the kind of limit.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}
