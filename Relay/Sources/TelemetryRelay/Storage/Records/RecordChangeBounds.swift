/// How much of the log of record changes is kept.
///
/// The column `total` of a change is the size of all changes up to it, also of deleted ones.
struct RecordChangeBounds: Sendable {
    /// The maximum number of changes.
    let count: Int
    /// The maximum size of all changes except the oldest, in bytes.
    let bytes: Int

    init(_ configuration: RelayStorageConfiguration) {
        (count, bytes) = (configuration.recordChanges, configuration.recordChangeBytes)
    }

    /// The approximate size of a row without its strings.
    static let overhead = 32
    /// The size of the log.
    static let usage = """
        SELECT SUM(length(type) + length(name) + COALESCE(length(client), 0) + COALESCE(length(previous_client), 0) + \(overhead))
        FROM record_change
        """
}
