import Foundation
import TelemetryModels

extension Spool {
    /// Takes over what dead owners left of a client's events, and discards those of others.
    ///
    /// While no client is known, files of an owner who had one stay where they are: whose they are cannot be compared yet.
    func adopt(clientId: String?, maximumAge: TimeInterval, now: BootTime) -> OrphanedSegments {
        var orphans = OrphanedSegments()
        Self.forEachDeadOwner(in: directory) { paths in
            if clientId == nil, paths.contains(where: Self.namesClient) { return }
            for path in paths { adopt(path, clientId: clientId, now: now, into: &orphans) }
        }
        Self.removeSetAside(in: directory, olderThan: maximumAge)
        return orphans
    }

    /// Removes what dead owners left, unread, and what was set aside.
    static func purge(_ directory: URL) {
        let path = directory.path(percentEncoded: false)
        forEachDeadOwner(in: path) { paths in
            for path in paths { SystemFile.remove(path) }
        }
        removeSetAside(in: path, olderThan: 0)
    }

    /// Calls the body with the segments of each owner whose process is gone, holding that one's lock meanwhile.
    ///
    /// One after another: a process has fewer descriptors than a directory may have dead owners.
    private static func forEachDeadOwner(in directory: String, _ body: ([String]) -> Void) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        var owners: [String: [String]] = [:]
        for name in names {
            if name.hasSuffix(lockSuffix) {
                owners[String(name.dropLast(lockSuffix.count)), default: []] += []
            } else if name.hasSuffix(segmentSuffix), let dash = name.lastIndex(of: "-") {
                owners[String(name[..<dash]), default: []].append("\(directory)/\(name)")
            }
        }
        for (owner, paths) in owners.sorted(by: { $0.key < $1.key }) {
            // A lock that cannot be had is somebody's who lives, or unusable: either way, not ours.
            guard let lock = try? SpoolLock.adopt("\(directory)/\(owner)\(lockSuffix)") else { continue }
            // Whoever cleans up temporary files may have removed the lock of an owner that runs.
            if !paths.contains(where: isInUse) { body(paths) }
            lock.release()
        }
    }

    /// Whether a process writes to the segment.
    private static func isInUse(_ path: String) -> Bool {
        guard let descriptor = try? SystemFile.open(path, creating: false) else { return false }
        defer { SystemFile.closeFile(descriptor) }
        guard SystemFile.lock(descriptor) else { return true }
        SystemFile.unlock(descriptor)
        return false
    }

    /// Whether events that wait in a segment bear a client's identifier.
    private static func namesClient(_ path: String) -> Bool {
        guard let descriptor = try? SystemFile.open(path, creating: false) else { return false }
        defer { SystemFile.closeFile(descriptor) }
        guard let bytes = try? SystemFile.read(descriptor, path: path, atMost: 2 * Segment.maximumBytes) else { return false }
        defer { bytes.deallocate() }
        guard case .recovered(let recovered) = SegmentRecovery.read(UnsafeRawBufferPointer(bytes)) else { return false }
        return recovered.runs.contains { $0.clientId != nil }
    }

    private func adopt(_ path: String, clientId: String?, now: BootTime, into orphans: inout OrphanedSegments) {
        do {
            let descriptor = try SystemFile.open(path, creating: false)
            defer { SystemFile.closeFile(descriptor) }
            let bytes = try SystemFile.read(descriptor, path: path, atMost: 2 * Segment.maximumBytes)
            defer { bytes.deallocate() }
            switch SegmentRecovery.read(UnsafeRawBufferPointer(bytes)) {
            case .empty: SystemFile.remove(path)
            case .corrupt: Self.setAside(path, because: "it has no valid header", in: &orphans)
            case .recovered(let recovered):
                let runs = recovered.runs.filter { $0.clientId == clientId }.map { $0.dated(now) }
                if runs.isEmpty {
                    SystemFile.remove(path)
                } else {
                    let segments = try keep(runs, of: recovered, in: UnsafeRawBufferPointer(bytes), path: path)
                    for (run, segment) in zip(runs, segments) {
                        orphans.add(segment, ordinal: recovered.ordinal, begin: run.begin)
                    }
                }
                orphans.noteDamaged(recovered.damaged, path: path)
                orphans.noteOfOthers(recovered.runs.reduce(0) { $1.clientId == clientId ? $0 : $0 + $1.count }, path: path)
            }
        } catch {
            if error.isLasting {
                Self.setAside(path, because: "\(error)", in: &orphans)
            } else if !error.isMissing {
                // Too many open files, a device that is still locked: the next start may have better luck.
                orphans.report(.storageFailed, "A spooled file is left for the next start: \(error)")
            }
        }
    }

    /// Makes runs of a dead owner's file this one's: as smaller files, or by renaming where little would be saved, or there is
    /// no room.
    private func keep(
        _ runs: [SegmentRecovery.Run], of recovered: SegmentRecovery.Recovered, in bytes: UnsafeRawBufferPointer, path: String
    ) throws(SpoolError) -> [Segment] {
        let needed = runs.reduce(0) { $0 + SegmentHeader.maximumBytes + $1.frames.count }
        let isMixed = runs.count < recovered.runs.count
        if isMixed || bytes.count - needed > Self.unusedBytes {
            var copies: [Segment] = []
            do {
                for run in runs {
                    let file = SpoolFile(path: nextAdoptedPath(), owner: lock)
                    let copy = SegmentRecovery.segment(of: run, in: recovered, bytes: bytes, file: file)
                    copies.append(copy)
                    try SystemFile.create(file.path, with: UnsafeRawBufferPointer(copy.written))
                }
                SystemFile.remove(path)
                return copies
            } catch {
                for copy in copies { copy.memory.file?.remove() }
            }
        }
        let file = SpoolFile(path: nextAdoptedPath(), owner: lock, uses: runs.count)
        do { try SystemFile.move(path, to: file.path) } catch {
            for _ in runs { file.remove() }
            throw error
        }
        return runs.map { SegmentRecovery.segment(of: $0, in: recovered, bytes: bytes, file: file) }
    }

    /// So many bytes that a file has and does not need are left to it.
    private static let unusedBytes = 32 << 10
}

extension Segment {
    /// The bytes that its file has.
    fileprivate var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.base, count: committed + Frame.terminatorBytes)
    }
}
