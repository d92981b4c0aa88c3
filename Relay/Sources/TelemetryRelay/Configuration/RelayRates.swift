/// Rate limits for each source, a minute; 0 is no limit.
public struct RelayRates: Sendable, Equatable {
    /// New clients for each pair of token and address.
    public var newClients = 60
    /// Requests of one client.
    public var client = 120_000
    /// Requests with one token.
    public var token = 600_000
    /// Bytes of debug logs from hosts, for each pair of token and address.
    public var debugBytes = 16 << 20

    public init() {}
}
