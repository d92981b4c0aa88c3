/// How much of the log of record changes is kept, and statements for it.
///
/// The column `total` of a change is the size of all changes up to it, also of deleted ones. It is null for changes that an earlier
/// version wrote; they count as the change after them.
struct RecordChangeBounds: Sendable {
    /// The maximum number of changes.
    let count: Int
    /// The maximum size of all changes except the oldest, in bytes.
    let bytes: Int

    init(_ configuration: RelayStorageConfiguration) {
        (count, bytes) = (configuration.recordChanges, configuration.recordChangeBytes)
    }

    /// The approximate size of a row.
    static let size = "length(type) + length(name) + COALESCE(length(client), 0) + COALESCE(length(previous_client), 0) + 32"
    /// The total of the newest change.
    static let total = "SELECT total FROM record_change WHERE total IS NOT NULL ORDER BY number DESC LIMIT 1"
    /// The size of the log.
    static let usage = "SELECT SUM(\(size)) FROM record_change"

    /// The number of the oldest change that is kept.
    static func first(_ bytes: String) -> String {
        "(SELECT MIN(number) FROM record_change WHERE total > (\(total)) - \(bytes))"
    }
}
