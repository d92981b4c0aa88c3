import TelemetryModels
import TelemetrySystem

/// The indexes of a store's completed journal files: read from `journal/<number>.index`, or computed and saved there.
///
/// They are caches: a missing, damaged or outdated one is computed again from the journal.
final class JournalIndexes {
    /// The parts of an index; reading fewer takes less time.
    struct Parts: OptionSet, Sendable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }

        static let names = Parts(rawValue: 1)
        static let cells = Parts(rawValue: 2)
        static let entries = Parts(rawValue: 4)
        static let all: Parts = [.names, .cells, .entries]
    }

    private struct Known {
        var stamp: JournalIndexStamp
        /// Nil if the file cannot be indexed.
        var index: JournalIndex?
        var parts: Parts
        var header: JournalIndexHeader?
    }

    /// The maximum number of indexes kept in memory.
    private static let limit = 64
    /// The maximum number of entries kept in memory, of all indexes.
    private static let entryLimit = 1 << 20

    private let layout: StoreLayout
    private let system: FileSystem
    private var known: [UInt64: Known] = [:]

    init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    /// The index of a journal file with at least these parts; nil if the file is still written to, or cannot be indexed.
    func index(of number: UInt64, with parts: Parts, storeID: String) throws -> JournalIndex? {
        guard let status = try system.status(layout.journalFile(number)),
            let stamp = JournalIndexStamp(number, status, storeID: storeID)
        else { return nil }
        var known = self.known.removeValue(forKey: number)
        if known?.stamp != stamp { known = nil }
        var found = try known ?? load(stamp) ?? build(stamp)
        if found.index != nil, !found.parts.isSuperset(of: parts) {
            if try !load(parts.subtracting(found.parts), of: &found) { found = try build(stamp) }
        }
        makeRoom(for: found)
        self.known[number] = found
        return found.index
    }

    /// Saves the index of a file that this process has completed.
    func save(_ number: UInt64, storeID: String) throws {
        guard let status = try system.status(layout.journalFile(number)),
            let stamp = JournalIndexStamp(number, status, storeID: storeID), try load(stamp) == nil
        else { return }
        if let index = try JournalIndexBuilder.index(of: number, in: layout, system) { save(index, stamp) }
    }

    private func makeRoom(for found: Known) {
        if known.count >= Self.limit { known.removeAll() }
        let entries = known.values.reduce(found.index?.entries.count ?? 0) { $0 + ($1.index?.entries.count ?? 0) }
        if entries > Self.entryLimit { known.removeAll() }
    }

    /// Reads the beginning of the file; nil if there is no valid one.
    private func load(_ stamp: JournalIndexStamp) throws(FileError) -> Known? {
        let bytes: [UInt8]
        do {
            bytes = try system.open(layout.journalIndex(stamp.number), for: .read).read(
                at: 0, count: Int(JournalIndexHeader.byteCount))
        } catch {
            if error.isOutOfDescriptors { throw error }
            return nil
        }
        guard let header = bytes.withUnsafeBytes({ JournalIndexHeader($0, of: stamp) }) else { return nil }
        var index = JournalIndex()
        index.range = header.range
        return Known(stamp: stamp, index: index, parts: [], header: header)
    }

    /// Reads parts of the file. False if they are damaged, or the file was replaced.
    private func load(_ parts: Parts, of known: inout Known) throws(FileError) -> Bool {
        guard let header = known.header, var index = known.index else { return false }
        let file: OpenFile
        let status: FileStatus
        do {
            file = try system.open(layout.journalIndex(known.stamp.number), for: .read)
            status = try file.status()
        } catch {
            if error.isOutOfDescriptors { throw error }
            return false
        }
        // An index is smaller than this multiple of the file that it describes, whatever the header states.
        let most = known.stamp.size.multipliedReportingOverflow(by: 16)
        guard status.isRegularFile, status.size == header.offset(ofPart: 3),
            most.overflow || status.size <= most.partialValue.addingClamped(4_096)
        else { return false }
        let wanted = known.parts.contains(.names) ? parts : parts.union(.names)
        for part in 0..<3 where wanted.contains(Parts(rawValue: 1 << part)) {
            let (place, expected) = (header.offset(ofPart: part), header.parts[part])
            guard let count = Int(exactly: expected.byteCount) else { return false }
            let bytes: [UInt8]
            do {
                bytes = try file.read(at: place, count: count)
            } catch {
                if error.isOutOfDescriptors { throw error }
                return false
            }
            let isValid = bytes.withUnsafeBytes { bytes in
                guard UInt64(bytes.count) == expected.byteCount, IndexChecksum.hash(bytes) == expected.checksum else {
                    return false
                }
                switch part {
                case 0: return index.readNames(bytes)
                case 1: return index.readCells(bytes)
                default: return index.readEntries(bytes)
                }
            }
            guard isValid else { return false }
        }
        known.index = index
        known.parts.formUnion(wanted)
        return true
    }

    private func build(_ stamp: JournalIndexStamp) throws -> Known {
        let index = try JournalIndexBuilder.index(of: stamp.number, in: layout, system)
        if let index { save(index, stamp) }
        return Known(stamp: stamp, index: index, parts: .all, header: nil)
    }

    /// Saves an index for other processes; a failure only means that they compute it as well.
    private func save(_ index: JournalIndex, _ stamp: JournalIndexStamp) {
        var header = JournalIndexHeader(stamp: stamp, range: index.range)
        let parts = index.encoded()
        for (place, part) in parts.enumerated() {
            header.parts[place] = .init(byteCount: UInt64(part.count), checksum: IndexChecksum.hash(part.bytes))
        }
        let head = ByteBuffer()
        header.write(to: head)
        try? system.replace(layout.journalIndex(stamp.number), isDurable: false) { file throws(FileError) in
            try file.write(head.bytes)
            for part in parts where part.count > 0 { try file.write(part.bytes) }
        }
    }
}
