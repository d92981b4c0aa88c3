/// The space that records use.
public struct RelayRecordUsage: Sendable, Equatable {
    /// The number of records.
    public var count: Int
    /// Their stored size, in bytes of JSON.
    public var bytes: Int

    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}
