package import TelemetryModels

/// The records of each type as read last, so that a query reads only the files that changed since.
///
/// A directory whose date is the same has the same files, unless that date is so recent that another change may have had it as well.
/// In any other directory, the files that the journal names and those with another inode are checked: each change replaces a file,
/// and has an entry. Comparing inodes is not sufficient, because the second of two replacements may get that of the former file.
///
/// A file that is checked, and each record that matches, counts as unchanged while its inode, size and date are the same.
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
        /// The names that the journal has named since; nil if it may have named others.
        var changed: Set<String>? = []
    }

    /// The most records kept.
    private static let limit = 100_000
    /// Seconds. Some file systems store dates in units of two seconds.
    private static let settlingTime: Int64 = 2

    private let files: RecordFiles
    private var directories: [String: Directory] = [:]
    private var changes: RecordChanges

    package init(files: RecordFiles) {
        self.files = files
        changes = RecordChanges(layout: files.layout, system: files.system)
    }

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
        // Before anything is read, so that a change during the reading is recent, or named the next time.
        let settled = system.now() - Self.settlingTime
        let status = try system.status(directory)
        let isSame = directories[directory].map { known in known.isSettled && status.map(Stamp.init) == known.stamp } ?? false
        if isSame { return }
        let entries = try files.entries(in: directory, below: parent)
        // After the listing, so that each replacement which it shows has its entry in what is read now.
        noteChanges()
        var known = directories.removeValue(forKey: directory)
        guard let status else { return }
        // A directory that was created again is another one.
        let changed = known.flatMap { $0.stamp.inode == status.inode ? $0.changed : nil }
        var records = known?.records ?? [:]
        // So that the records are changed in place.
        known = nil
        // Once nobody changes the directory any more, the records with recent dates are read for the last time.
        let isOld = status.modified < settled
        var count = 0
        for (name, inode) in entries {
            if let changed, records[name]?.stamp.inode == inode, changed.isEmpty || !changed.contains(name),
                !isOld || records[name]?.isSettled == true
            {
                count += 1
                continue
            }
            records[name] = try check("\(directory)/\(name)", records[name], settled: settled)
            if records[name] != nil { count += 1 }
        }
        if records.count != count {
            let names = Set(entries.map(\.name))
            records = records.filter { names.contains($0.key) }
        }
        directories[directory] = Directory(stamp: Stamp(status), isSettled: isOld, records: records)
    }

    /// The record in a file, read again if the file changed; nil if there is none.
    private func check(
        _ path: String, _ cached: CachedRecord?, settled: Int64
    ) throws(FileError) -> CachedRecord? {
        guard let status = try files.system.status(path) else { return nil }
        let stamp = Stamp(status)
        if let cached, cached.isSettled, cached.stamp == stamp { return cached }
        guard let record = try files.read(TelemetryRecord.self, at: path) else { return nil }
        return CachedRecord(stamp: stamp, isSettled: status.modified < settled, record: record)
    }

    /// Notes the changes that the journal names. If they are unknown, every file has to be checked.
    private func noteChanges() {
        guard let names = changes.take() else {
            for directory in directories.keys { directories[directory]?.changed = nil }
            return
        }
        for (directory, names) in names {
            directories[directory]?.changed?.formUnion(names)
            // Checking every file is no slower then, and the names of a type that is no longer queried stay bounded.
            if let known = directories[directory], let changed = known.changed, changed.count > known.records.count + 1_000 {
                directories[directory]?.changed = nil
            }
        }
    }
}
