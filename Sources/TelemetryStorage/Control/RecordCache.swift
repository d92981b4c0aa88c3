package import TelemetryModels

/// The records of each type as read last, so that a query reads only the files that changed since.
///
/// A file counts as unchanged while its inode, size and date are the same. A directory whose date is the same has the same files,
/// unless that date is so recent that another change may have had it as well. The same applies to a file.
package final class RecordCache {
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: UInt64
        let modified: Int64
        let nanoseconds: Int64

        init(_ status: FileStatus) {
            (inode, size) = (status.inode, status.size)
            (modified, nanoseconds) = (status.modified, status.modifiedNanoseconds)
        }
    }

    private struct CachedRecord {
        var stamp: Stamp
        /// Whether a later change has another stamp.
        var isSettled: Bool
        var record: TelemetryRecord
    }

    private struct Directory {
        var stamp: Stamp
        var isSettled: Bool
        /// By the names of their files.
        var records: [String: CachedRecord]
    }

    /// The most records kept.
    private static let limit = 100_000
    /// Seconds. Some file systems store dates in units of two seconds.
    private static let settlingTime: Int64 = 2

    private let files: RecordFiles
    private var directories: [String: Directory] = [:]

    package init(files: RecordFiles) { self.files = files }

    /// The records in the files of a directory for which `isIncluded` is true, in no particular order.
    package func records(
        in directory: String, below parent: String, where isIncluded: (TelemetryRecord) -> Bool
    ) throws(FileError) -> [TelemetryRecord] {
        try update(directory, below: parent)
        guard let known = directories[directory] else { return [] }
        var found: [TelemetryRecord] = []
        for (name, cached) in known.records where isIncluded(cached.record) {
            if let record = try current(name, cached, in: directory), isIncluded(record) { found.append(record) }
        }
        if directories.values.reduce(0, { $0 + $1.records.count }) > Self.limit { directories.removeAll() }
        return found
    }

    /// The record, read again if its file changed.
    private func current(
        _ name: String, _ cached: CachedRecord, in directory: String
    ) throws(FileError) -> TelemetryRecord? {
        let path = "\(directory)/\(name)"
        if cached.isSettled, let status = try files.system.status(path), Stamp(status) == cached.stamp { return cached.record }
        directories[directory]?.isSettled = false
        return try files.read(TelemetryRecord.self, at: path)
    }

    /// Reads the changed files, unless the directory is unchanged.
    private func update(_ directory: String, below parent: String) throws(FileError) {
        let system = files.system
        // Before anything is read, so that a change during the reading is recent.
        let settled = system.now() - Self.settlingTime
        let status = try system.status(directory)
        let known = directories.removeValue(forKey: directory)
        if let known, let status, known.isSettled, known.stamp == Stamp(status) {
            directories[directory] = known
            return
        }
        let names = try files.names(in: directory, below: parent)
        guard let status else { return }
        var records: [String: CachedRecord] = [:]
        records.reserveCapacity(names.count)
        for name in names {
            let path = "\(directory)/\(name)"
            guard let status = try system.status(path) else { continue }
            let stamp = Stamp(status)
            if let cached = known?.records[name], cached.isSettled, cached.stamp == stamp {
                records[name] = cached
            } else if let record = try files.read(TelemetryRecord.self, at: path) {
                records[name] = CachedRecord(stamp: stamp, isSettled: status.modified < settled, record: record)
            }
        }
        directories[directory] = Directory(stamp: Stamp(status), isSettled: status.modified < settled, records: records)
    }
}
