import TelemetryModels
import TelemetrySystem

/// The records of each type as read last, so that a query reads only the files that changed since.
///
/// Which files changed is determined by one of these, in this order:
///
/// 1. The system reports each change in a large directory that was read more than once (``DirectoryReports``). A changed date without
///    a report means that reports are missing.
/// 2. A directory whose date is the same has the same files, unless that date is so recent that another change may have had it as well.
/// 3. In any other directory, the files that the journal names and those with another inode are checked: each change replaces a file,
///    and has an entry. Comparing inodes is not sufficient, because the second of two replacements may get that of the former file.
///
/// A file that is checked, and each record that matches, counts as unchanged while its inode, size and date are the same.
final class RecordCache {
    private struct Directory {
        var inode: UInt64 = 0
        /// Nil if the directory has to be read or a reported change may be later.
        var stamp: FileStamp?
        var isSettled = false
        var records = CachedRecords()
        /// The names of files that may have changed since; nil if others may have changed as well.
        var changed: Set<String>? = []
    }

    /// The maximum number of records kept.
    private static let limit = 100_000
    /// Seconds. Some file systems store dates in units of two seconds.
    private static let settlingTime: Int64 = 2

    private let files: RecordFiles
    /// A process has few notifications, and a directory with fewer records than this is read fast.
    private let watchedCount: Int
    private var directories: [String: Directory] = [:]
    private var changes: RecordChanges
    private var reports: DirectoryReports?

    init(files: RecordFiles, watchedCount: Int = 500) {
        self.files = files
        self.watchedCount = watchedCount
        changes = RecordChanges(layout: files.layout, system: files.system)
    }

    /// The records in the files of a directory that fulfil the conditions and for which `isIncluded` is true, in no particular order.
    func records(
        in directory: String, below parent: String, fulfilling conditions: [String: TelemetryValue],
        where isIncluded: (TelemetryRecord) -> Bool
    ) throws(FileError) -> [TelemetryRecord] {
        try update(directory, below: parent)
        var found: [TelemetryRecord] = []
        for name in directories[directory]?.records.candidates(fulfilling: conditions) ?? [] {
            if let record = try current(name, in: directory, where: isIncluded), isIncluded(record) { found.append(record) }
        }
        if directories.values.reduce(0, { $0 + $1.records.count }) > Self.limit {
            directories.removeAll()
            stopWatching()
        }
        return found
    }

    /// Closes what is open only to make queries faster.
    func stopWatching() { reports = nil }

    /// The cached record if it is included, read again if its file changed.
    private func current(
        _ name: String, in directory: String, where isIncluded: (TelemetryRecord) -> Bool
    ) throws(FileError) -> TelemetryRecord? {
        guard let record = directories[directory]?.records.record(in: name), isIncluded(record) else { return nil }
        let path = "\(directory)/\(name)"
        let state = directories[directory]?.records.state(of: name)
        if let state, let status = try files.system.status(path), FileStamp(status) == state.stamp {
            if state.isSettled { return record }
        } else {
            directories[directory]?.changed?.insert(name)
        }
        directories[directory]?.isSettled = false
        return try files.read(TelemetryRecord.self, at: path)
    }

    /// Reads the changed files, unless the directory is unchanged.
    private func update(_ directory: String, below parent: String) throws(FileError) {
        let system = files.system
        // Before anything is read, so that a change during the reading is recent, or named or reported the next time.
        let settled = system.now() - Self.settlingTime
        var status = try system.status(directory)
        if let status, try updateReported(directory, status, settled: settled) { return }
        let isSame = directories[directory].map { known in known.isSettled && status.map(FileStamp.init) == known.stamp } ?? false
        if isSame { return }
        if startReports(of: directory, status) { status = try system.status(directory) }
        let entries = try files.entries(in: directory, below: parent)
        // After the listing, so that each replacement which it shows has its entry in what is read now.
        noteChanges()
        guard let status else {
            directories[directory] = nil
            return
        }
        var known = directories.removeValue(forKey: directory) ?? Directory()
        // A directory that was created again is another one.
        let changed = known.inode == status.inode ? known.changed : nil
        // Once nobody changes the directory any more, the records with recent dates are read for the last time.
        let isOld = status.modified < settled
        var count = 0
        for (name, inode) in entries {
            let state = known.records.state(of: name)
            let isUnchanged = state?.stamp.inode == inode && changed.map { $0.isEmpty || !$0.contains(name) } ?? false
            if !isUnchanged || isOld && state?.isSettled == false {
                try check(name, in: directory, &known.records, settled: settled)
                if known.records.state(of: name) == nil { continue }
            }
            count += 1
        }
        if known.records.count != count { known.records.keep(Set(entries.map(\.name))) }
        (known.inode, known.stamp, known.isSettled, known.changed) = (status.inode, FileStamp(status), isOld, [])
        directories[directory] = known
    }

    /// Checks only the files that were reported. Returns false if that is not sufficient: if the directory is not watched, is another
    /// one, or changed without a report.
    private func updateReported(
        _ directory: String, _ status: FileStatus, settled: Int64
    ) throws(FileError) -> Bool {
        // After the status, so that every change before that is reported.
        guard let report = reports?.take(directory), var known = directories.removeValue(forKey: directory) else { return false }
        defer { directories[directory] = known }
        let isComplete = !report.isEmpty || known.stamp == nil || known.stamp == FileStamp(status)
        // A reported change may be later than the status.
        known.stamp = report.isEmpty ? FileStamp(status) : nil
        known.changed?.formUnion(report.names.filter(RecordFiles.isName))
        guard isComplete, known.inode == status.inode, let changed = known.changed else {
            known.stamp = nil
            return false
        }
        if !changed.isEmpty { known.isSettled = false }
        for name in changed { try check(name, in: directory, &known.records, settled: settled) }
        known.changed = []
        let isOld = status.modified < settled
        if isOld, !known.isSettled {
            for name in known.records.unsettled { try check(name, in: directory, &known.records, settled: settled) }
        }
        known.isSettled = isOld
        return true
    }

    /// Begins to watch a directory that has been read before and is large. Returns whether it began just now.
    private func startReports(of directory: String, _ status: FileStatus?) -> Bool {
        let known = directories[directory]
        // If the path is another directory's now, the reports are of the former one.
        if known?.inode != status?.inode { reports?.stop(directory) }
        guard let known, status != nil, known.records.count >= watchedCount, reports?.isWatched(directory) != true else {
            return false
        }
        if reports == nil { reports = DirectoryReports(system: files.system) }
        return reports?.watch(directory) ?? false
    }

    /// Reads the record in a file again if the file changed, and removes it if there is none.
    private func check(
        _ name: String, in directory: String, _ records: inout CachedRecords, settled: Int64
    ) throws(FileError) {
        let path = "\(directory)/\(name)"
        let state = records.state(of: name)
        let status = try files.system.status(path)
        if let status, let state, state.isSettled, state.stamp == FileStamp(status) { return }
        guard let status, let record = try files.read(TelemetryRecord.self, at: path) else { return records.remove(name) }
        records.set(record, .init(stamp: FileStamp(status), isSettled: status.modified < settled), for: name)
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
