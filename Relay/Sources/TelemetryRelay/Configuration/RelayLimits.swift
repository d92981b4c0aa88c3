/// Limits on one telemetry request.
public struct RelayLimits: Sendable, Equatable {
    /// The maximum body size, in bytes, before and after decompression.
    public var bodyBytes = 4 << 20
    /// The maximum number of events in a batch.
    public var batchEvents = 5_000
    /// The maximum number of records in a save.
    public var saveRecords = 400
    /// The maximum number of client records of one client, for hosts.
    public var ownRecords = 8
    /// The maximum number of client and scenario records of one client, for hosts.
    public var clientRecords = 1_000
    /// The maximum size of the client and scenario records of one client together, in bytes of JSON, for hosts.
    public var clientRecordBytes = 1 << 20
    /// The size of all records and subscriptions, in bytes of JSON, from which on a host saves only those of clients with little. From five
    /// quarters of it on, no token with a scope saves any; from six quarters, no host; from twice as much, no viewer. At most 2^60.
    public var recordBytesInAll = 512 << 20
    /// What a client with little has of records, or of subscriptions, in bytes.
    static let reservedBytes = 16 << 10
    /// The maximum size of a record that a host saves, in bytes of JSON.
    public var recordBytes = 64 << 10
    /// The maximum size of the names in a subscription of a host or of a token with a scope, in bytes of UTF-8.
    public var subscriptionBytes = 8 << 10
    /// The maximum number of subscriptions of one client, or of one token with a scope.
    public var clientSubscriptions = 100
    /// The maximum number of open streams and waiting requests of one client, for hosts.
    public var clientStreams = 16
    /// The maximum number of open streams and waiting requests with one token, for viewers and readers.
    public var tokenStreams = 256
    /// The maximum number of open streams and waiting requests of all hosts: half of the connections, so that others get one.
    var hostStreams: Int { max(1, connections / 2) }
    /// The maximum number of connections. At most the number of descriptors that the process may have, less some for files.
    public var connections = 4_096
    /// The maximum number of connections from one address, or from one IPv6 network of 64 bits; not applied behind a proxy. At most
    /// half of all.
    public var addressConnections = 1_024
    /// The maximum size of all requests that are not answered and responses that are not read, in bytes.
    public var heldBytes = 128 << 20
    /// The maximum size of all bodies that wait to be decoded and for the storage, in bytes of what they expand to. Hosts have at most
    /// three quarters of it, and one client an eighth, but at least twice a body. A request counts as at least 16 KiB.
    public var waitingBytes = 64 << 20
    /// The maximum number of events or records in a page.
    public var page = 1_000
    /// The maximum size of the records in a page, in bytes of JSON. A larger record is a page of its own.
    public var recordPageBytes = 4 << 20
    /// The maximum time that a request may wait for events, in seconds.
    public var waitSeconds = 60
    /// The maximum time for the evaluation of a query.
    public var queryTime: Duration = .seconds(10)
    /// The maximum size of the events that a host's query reads, in bytes of lines: what it can keep in memory.
    public var hostQueryBytes = 64 << 20

    public init() {}
}
