import Foundation
import TelemetryModels
import TelemetryStorage

extension Spool {
    /// Takes over what dead owners left of a client's events, and discards those of others.
    ///
    /// While no client is known, files of an owner who had one stay where they are: whose they are cannot be compared yet.
    func adopt(clientId: String?, maximumAge: TimeInterval, now: BootTime) -> OrphanedSegments {
        var orphans = OrphanedSegments()
        Self.forEachDeadOwner(in: directory, system) { paths in
            if clientId == nil, paths.contains(where: namesClient) { return }
            for path in paths { adopt(path, clientId: clientId, now: now, into: &orphans) }
        }
        Self.removeSetAside(in: directory, olderThan: maximumAge, system)
        return orphans
    }

    /// Removes what dead owners left, unread, and what was set aside.
    static func purge(_ directory: URL, _ system: FileSystem = FileSystem()) {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        forEachDeadOwner(in: path, system) { paths in
            for path in paths { try? system.remove(path) }
        }
        removeSetAside(in: path, olderThan: 0, system)
    }

    /// Calls the body with the segments of each owner whose process is gone, holding that one's lock meanwhile.
    ///
    /// One after another: a process has fewer descriptors than a directory may have dead owners.
    private static func forEachDeadOwner(in directory: String, _ system: FileSystem, _ body: ([String]) -> Void) {
        let names = (try? system.list(directory)) ?? []
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
            guard let lock = try? SpoolLock.adopt("\(directory)/\(owner)\(lockSuffix)", system) else { continue }
            // Whoever cleans up temporary files may have removed the lock of an owner that runs.
            if !paths.contains(where: { isInUse($0, system) }) { body(paths) }
            lock.release()
        }
    }

    /// Whether a process writes to the segment.
    private static func isInUse(_ path: String, _ system: FileSystem) -> Bool {
        guard let file = try? system.open(path, for: .write) else { return false }
        guard (try? file.tryLock(.exclusive)) == true else { return true }
        file.unlock()
        return false
    }

    /// Whether events that wait in a segment bear a client's identifier.
    private func namesClient(_ path: String) -> Bool {
        guard let bytes = try? content(of: path),
            case .recovered(let recovered) = bytes.withUnsafeBytes({ SegmentRecovery.read($0) })
        else { return false }
        return recovered.runs.contains { $0.clientId != nil }
    }

    private func content(of path: String) throws(FileError) -> [UInt8] {
        try system.open(path, for: .write).content(limit: 2 * CaptureSegment.maximumBytes)
    }

    private func adopt(_ path: String, clientId: String?, now: BootTime, into orphans: inout OrphanedSegments) {
        do throws(FileError) {
            let bytes = try content(of: path)
            switch bytes.withUnsafeBytes({ SegmentRecovery.read($0) }) {
            case .empty: try? system.remove(path)
            case .corrupt: setAside(path, because: "it has no valid header", in: &orphans)
            case .recovered(let recovered):
                let runs = recovered.runs.filter { $0.clientId == clientId }.map { $0.dated(now) }
                if runs.isEmpty {
                    try? system.remove(path)
                } else {
                    let segments = try keep(runs, of: recovered, in: bytes, path: path)
                    for (run, segment) in zip(runs, segments) {
                        orphans.add(segment, ordinal: recovered.ordinal, begin: run.begin)
                    }
                }
                orphans.noteDamaged(recovered.damaged, path: path)
                orphans.noteOfOthers(recovered.runs.reduce(0) { $1.clientId == clientId ? $0 : $0 + $1.count }, path: path)
            }
        } catch {
            if error.isLasting {
                setAside(path, because: "\(error)", in: &orphans)
            } else if !error.isNotFound {
                // Too many open files, a device that is still locked: the next start may have better luck.
                orphans.report(.storageFailed, "A spooled file is left for the next start: \(error)")
            }
        }
    }

    /// Makes runs of a dead owner's file this one's: as smaller files, or by renaming where little would be saved, or there is
    /// no room.
    private func keep(
        _ runs: [SegmentRecovery.Run], of recovered: SegmentRecovery.Recovered, in bytes: [UInt8], path: String
    ) throws(FileError) -> [CaptureSegment] {
        let needed = runs.reduce(0) { $0 + SegmentHeader.maximumBytes + $1.frames.count }
        let isMixed = runs.count < recovered.runs.count
        if isMixed || bytes.count - needed > Self.unusedBytes {
            var copies: [CaptureSegment] = []
            do {
                for run in runs {
                    let file = SpoolFile(path: nextAdoptedPath(), owner: lock, system: system)
                    let copy = bytes.withUnsafeBytes { SegmentRecovery.segment(of: run, in: recovered, bytes: $0, file: file) }
                    copies.append(copy)
                    try system.open(file.path, for: .create).write(copy.written)
                }
                try? system.remove(path)
                return copies
            } catch {
                for copy in copies { copy.memory.file?.remove() }
            }
        }
        let file = SpoolFile(path: nextAdoptedPath(), owner: lock, system: system, uses: runs.count)
        do { try system.rename(path, to: file.path) } catch {
            for _ in runs { file.remove() }
            throw error
        }
        return runs.map { run in
            bytes.withUnsafeBytes { SegmentRecovery.segment(of: run, in: recovered, bytes: $0, file: file) }
        }
    }

    /// So many bytes that a file has and does not need are left to it.
    private static let unusedBytes = 32 << 10
}

extension CaptureSegment {
    /// The bytes that its file has.
    fileprivate var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.base, count: committed + Frame.terminatorBytes)
    }
}
