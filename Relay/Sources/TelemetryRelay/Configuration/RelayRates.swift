/// How often one source may ask; 0 is no limit.
public struct RelayRates: Sendable, Equatable {
    /// Clients that were not heard of before, a minute, per token and address.
    public var newClients = 60
    /// Requests a minute of one client.
    public var client = 120_000
    /// Requests a minute with one token.
    public var token = 600_000

    public init() {}
}
