import TelemetryModels
import TelemetrySystem

/// One client's part of the store: its lock, its index of identifiers, and the segment that this transport appends to.
///
/// Files are changed only under the client's lock, which is never held across a suspension.
final class ClientStore {
    /// The objects that the stores of all clients share.
    struct Shared {
        let layout: StoreLayout
        let system: FileSystem
        let configuration: FileTelemetryTransport.Configuration
        let reader: SegmentReader
        let journal: JournalWriter
    }

    /// The name of the client's directory.
    let name: String
    let path: String
    let shared: Shared
    var system: FileSystem { shared.system }
    var isDurable: Bool { shared.configuration.isDurable }
    private var lock: OpenFile?
    private var index: IdentityIndex?
    /// The inode of the identity file whose slots this process has checked, even while the file is closed.
    var checkedIdentity: UInt64?
    /// The segment that this transport appends to.
    var segment: SegmentWriter?
    /// Whether a segment was begun since this was last set to false.
    var hasNewSegment = false
    /// The number of the last use; the client used least recently is closed first.
    var lastUse: UInt64 = 0

    init(name: String, shared: Shared) {
        self.name = name
        self.path = shared.layout.client(directory: name)
        self.shared = shared
    }

    /// Closes the files; the segment's state is kept.
    func closeFiles() {
        lock = nil
        index = nil
        segment?.close()
    }

    // MARK: Lock

    /// False if another process holds the lock. Every success must be followed by ``unlock()``.
    func tryLock() throws(FileError) -> Bool {
        for _ in 0..<8 {
            let file = if let lock { lock } else { try openLock() }
            guard try file.tryLock(.exclusive) else { return false }
            if (try? file.status().isLinked) == true { return true }
            // The directory was removed and perhaps created again: this lock no longer protects anything.
            file.unlock()
            closeFiles()
        }
        return false
    }

    func unlock() { lock?.unlock() }

    private func openLock() throws(FileError) -> OpenFile {
        let opened: OpenFile
        do {
            opened = try system.open("\(path)/lock", for: .update)
        } catch  where error.isNotFound {
            try system.makeDirectory(path)
            if isDurable { try system.synchronizeDirectory(shared.layout.events) }
            opened = try system.open("\(path)/lock", for: .update)
        }
        lock = opened
        return opened
    }

    // MARK: Index

    var indexPath: String { "\(path)/identity" }

    /// Calls `body` with the client's current index, after completing or undoing a killed writer's operation.
    ///
    /// If the index is corrupt, rebuilds it and calls `body` again. An append can be repeated, because the rebuilt index contains
    /// the events that it stored. Requires a preceding ``JournalWriter/begin()``.
    func withIndex<Result>(_ body: (IdentityIndex) throws -> Result) throws -> Result {
        do {
            return try body(currentIndex())
        } catch is IdentityIndex.Corrupt {
            index = nil
            let rebuilt = try rebuildIndex()
            index = rebuilt
            return try body(rebuilt)
        }
    }

    private func currentIndex() throws -> IdentityIndex {
        // An index that another process moved to quarantine still has a name, but a different one.
        if let known = index, let status = try system.status(indexPath),
            known.inode == status.inode
        {
            try known.refresh(fileSize: status.size)
        } else {
            index = nil
            let file = try system.open(indexPath, for: .update)
            // An empty file was created by opening it: there was no index.
            let status = try file.status()
            index =
                try status.size == 0
                ? rebuildIndex() : IdentityIndex(file: file, hasCheckedSlots: status.inode == checkedIdentity)
        }
        guard let index else { throw IdentityIndex.Corrupt() }
        if index.header.state != .clean { try recover(index) }
        if index.header.boot != system.boot { try recoverFromRestart(index) }
        if !index.hasCheckedSlots || checkedIdentity == nil {
            try index.checkSlots()
            checkedIdentity = index.inode
        }
        return index
    }

    /// The header of the index with the number of stored events, read without the lock. Nil if there is no reliable one.
    func peekHeader() -> IdentityHeader? {
        guard let file = try? system.open(indexPath, for: .read),
            let header = try? IdentityIndex.readHeader(of: file), header.state == .clean
        else { return nil }
        return header
    }

    // MARK: Directory

    /// Whether a client's directory contains no segment, and no file of another program.
    static func isEmpty(_ path: String, _ system: FileSystem) throws(FileError) -> Bool {
        let own: Set = ["lock", "identity", "retired"]
        return try system.list(path).allSatisfy { own.contains($0) || $0.hasPrefix("-") }
    }

    /// Removes the directory if it contains no segment. Does nothing if another process holds the client's lock.
    ///
    /// A process that waits for the lock then finds the lock file unlinked, and creates the directory again.
    func removeDirectoryIfEmpty() throws(FileError) {
        guard try tryLock() else { return }
        defer {
            unlock()
            closeFiles()
        }
        guard try Self.isEmpty(path, system) else { return }
        for name in try system.list(path) where name != "lock" { try system.remove("\(path)/\(name)") }
        try system.remove("\(path)/lock")
        do { try system.removeDirectory(path) } catch {
            // Another process has already created a new lock file in it.
        }
    }

    // MARK: Segments

    func file(of segment: String) -> String { "\(path)/\(segment).jsonl" }

    /// The client's segments, oldest first. If `cleaning`, also removes leftover temporary files, which requires the lock.
    func segmentNames(cleaning: Bool = false) throws(FileError) -> [String] {
        var names: [String] = []
        for name in try system.list(path) {
            if name.hasPrefix("-") {
                if cleaning { try? system.remove("\(path)/\(name)") }
            } else if name.hasSuffix(".jsonl") {
                names.append(String(name.dropLast(6)))
            }
        }
        return names.sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
    }

    /// The number in a segment's name; zero if there is none, or if it is out of range.
    static func number(of segment: String) -> UInt64 {
        UInt64(segment.prefix { $0 != "-" }).flatMap { $0 < StoreLayout.numberLimit ? $0 : nil } ?? 0
    }

    /// Calls `body` for each event in a segment of any writer. Returns false if a line could not be read.
    @discardableResult
    func forEachEvent(of segment: String, _ body: (TelemetryEvent) throws -> Void) throws -> Bool {
        let file: OpenFile
        do { file = try system.open(self.file(of: segment), for: .read) } catch {
            guard error.isNotFound else { throw error }
            return true
        }
        var decoder = EventLineDecoder(directory: name)
        var lines = FileLines(file, 0..<(try file.status().size))
        var isReadable = true
        while let line = try lines.next() {
            if !line.hasFeed {
                isReadable = false
                break
            }
            switch decoder.decode(line, of: lines) {
            case .event(let event): try body(event)
            case .corrupt: isReadable = false
            case .header, .nothing: break
            }
        }
        return isReadable
    }
}
