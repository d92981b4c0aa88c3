import TelemetrySystem

/// The minimum end of the journal, recorded outside it by its writers: a shorter journal was truncated.
struct JournalEnd: Equatable {
    /// The number of the newest file.
    var file: UInt64
    /// The end of its last entry.
    var offset: UInt64
    /// The system boot in which this was recorded: after a restart, unsynchronized data may be missing.
    var boot: UInt64

    /// The longest line of this form, in bytes.
    private static let maximumBytes = 256

    /// The later of two ends. For two ends in one file, its boot is `boot` if either was recorded in that boot.
    func union(_ other: JournalEnd, boot: UInt64) -> JournalEnd {
        if file != other.file { return file > other.file ? self : other }
        return JournalEnd(
            file: file, offset: max(offset, other.offset), boot: other.boot == boot ? other.boot : self.boot)
    }

    /// The end recorded by earlier writers: for batches in the clients' identity files, for other entries in the lock file of the
    /// records. Nil if there is none.
    static func recorded(in layout: StoreLayout, _ system: FileSystem) throws(FileError) -> JournalEnd? {
        var ends: [JournalEnd] = []
        if let end = try tolerant({ () throws(FileError) in try read(layout.recordsLock, system) }) { ends.append(end) }
        let clients = try tolerant { () throws(FileError) in try system.directories(in: layout.events) } ?? []
        for client in clients {
            let path = "\(layout.client(directory: client))/identity"
            if let end = try tolerant({ () throws(FileError) in try of(identity: path, system) }) { ends.append(end) }
        }
        // A store never writes zero, or a number this large.
        ends.removeAll { $0.file == 0 || $0.file >= StoreLayout.numberLimit / 2 }
        guard let first = ends.first else { return nil }
        return ends.dropFirst().reduce(first) { $0.union($1, boot: system.boot) }
    }

    /// Returns nil if `body` fails, so that the other clients' ends are still read. Rethrows if no descriptors are left, since a
    /// later try may succeed.
    private static func tolerant<Value>(_ body: () throws(FileError) -> Value?) throws(FileError) -> Value? {
        do { return try body() } catch {
            if error.isOutOfDescriptors { throw error }
            return nil
        }
    }

    private static func of(identity path: String, _ system: FileSystem) throws(FileError) -> JournalEnd? {
        let file = try system.open(path, for: .read)
        let header: IdentityHeader
        do { header = try IdentityIndex.readHeader(of: file) } catch let error as FileError { throw error } catch { return nil }
        let append = header.append
        return JournalEnd(file: append.journalFile, offset: max(append.journalOffset, append.journalEnd), boot: header.boot)
    }

    private static func read(_ path: String, _ system: FileSystem) throws(FileError) -> JournalEnd? {
        guard case .content(let bytes, _) = try system.smallFile(path, limit: maximumBytes) else { return nil }
        return bytes.withUnsafeBufferPointer { JournalEnd(line: $0) }
    }
}

extension JournalEnd {
    /// Reads the line in the lock file of the records: three numbers and their checksum.
    init?(line: UnsafeBufferPointer<UInt8>) {
        guard let end = line.lineFeed(from: 0), end > 9 else { return nil }
        let body = UnsafeBufferPointer(rebasing: line[..<(end - 9)])
        guard LineChecksum.read(line[(end - 8)..<end]) == LineChecksum.hash(UnsafeRawBufferPointer(body)) else { return nil }
        var scanner = JSONScanner(body)
        guard let file = scanner.unsigned(), let offset = scanner.unsigned(), let boot = scanner.unsigned(),
            max(file, offset) < StoreLayout.numberLimit
        else { return nil }
        self.init(file: file, offset: offset, boot: boot)
    }

    /// Records the end in the lock file of the records; the caller holds that lock. If this fails, an earlier end stays recorded.
    func note(in lock: OpenFile) {
        let line = ByteBuffer()
        line.append("\(file) \(offset) \(boot)")
        let checksum = LineChecksum.hash(UnsafeRawBufferPointer(line.bytes))
        line.append(UInt8(ascii: " "))
        line.append(hexadecimal: checksum)
        line.append(UInt8(ascii: "\n"))
        try? lock.write(UnsafeRawBufferPointer(line.bytes), at: 0)
    }
}
