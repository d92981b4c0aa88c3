import Foundation
import TelemetryModels
import TelemetrySystem

extension Spool {
    /// Adopts a client's events and marks that dead owners left, and discards those of other clients.
    ///
    /// If the client is unknown, files of owners with a client are left alone, because the clients cannot be compared yet.
    func adopt(clientId: String?, maximumAge: TimeInterval, now: BootTime) -> OrphanedSegments {
        var orphans = OrphanedSegments()
        Self.forEachDeadOwner(in: directory, system) { paths in
            if clientId == nil, paths.contains(where: namesClient) { return }
            for path in paths {
                do throws(FileError) {
                    if path.hasSuffix(Self.markSuffix) {
                        try adoptMark(path, clientId: clientId, into: &orphans)
                    } else {
                        try adopt(path, clientId: clientId, now: now, into: &orphans)
                    }
                } catch {
                    if error.isLasting {
                        quarantine(path, because: "\(error)", in: &orphans)
                    } else if !error.isNotFound {
                        // A temporary failure, such as too many open files or a device that is still locked.
                        orphans.report(.storageFailed, "A spooled file is left for the next start: \(error)")
                    }
                }
            }
        }
        Self.removeQuarantined(in: directory, olderThan: maximumAge, system)
        return orphans
    }

    /// Removes the files of dead owners without reading them, the quarantined files, and the secret of pseudonyms.
    static func purge(_ directory: URL, _ system: FileSystem = FileSystem()) {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        forEachDeadOwner(in: path, system) { paths in
            for path in paths { try? system.remove(path) }
        }
        removeQuarantined(in: path, olderThan: 0, system)
        Pseudonyms.removeSecret(from: path, system)
    }

    /// Calls the body with the segments, rings and marks of each owner whose process has ended, while holding the owner's lock.
    ///
    /// Only one lock is held at a time: a directory may have more dead owners than a process has descriptors.
    static func forEachDeadOwner(in directory: String, _ system: FileSystem, _ body: ([String]) -> Void) {
        let names = (try? system.list(directory)) ?? []
        var owners: [String: [String]] = [:]
        for name in names {
            if name.hasSuffix(lockSuffix) {
                owners[String(name.dropLast(lockSuffix.count)), default: []] += []
            } else if [segmentSuffix, ringSuffix, markSuffix].contains(where: name.hasSuffix), let dash = name.lastIndex(of: "-")
            {
                owners[String(name[..<dash]), default: []].append("\(directory)/\(name)")
            }
        }
        for (owner, paths) in owners.sorted(by: { $0.key < $1.key }) {
            // A lock that cannot be acquired belongs to a running owner or is unusable.
            guard let lock = try? SpoolLock.adopt("\(directory)/\(owner)\(lockSuffix)", system) else { continue }
            // The lock of a running owner may have been deleted, for example by a cleanup of temporary files.
            if !paths.contains(where: { isInUse($0, system) }) { body(paths) }
            lock.release()
        }
    }

    /// Whether a running process writes to the segment.
    private static func isInUse(_ path: String, _ system: FileSystem) -> Bool {
        guard let file = try? system.open(path, for: .write) else { return false }
        guard (try? file.tryLock(.exclusive)) == true else { return true }
        file.unlock()
        return false
    }

    /// Whether waiting events in a segment, or a mark, have a client identifier.
    private func namesClient(_ path: String) -> Bool {
        guard let bytes = try? content(of: path) else { return false }
        if path.hasSuffix(Self.markSuffix) {
            return if case .content(let mark) = bytes.withByteView(SessionMark.read) { mark.clientId != nil } else { false }
        }
        guard case .content(let recovered) = bytes.withByteView(SegmentRecovery.read) else { return false }
        return recovered.runs.contains { $0.clientId != nil }
    }

    private func content(of path: String) throws(FileError) -> [UInt8] {
        try system.open(path, for: .write).content(limit: 2 * CaptureSegment.maximumBytes)
    }

    private func adopt(
        _ path: String, clientId: String?, now: BootTime, into orphans: inout OrphanedSegments
    ) throws(FileError) {
        let bytes = try content(of: path)
        switch bytes.withByteView(SegmentRecovery.read) {
        case .empty: try? system.remove(path)
        case .corrupt: quarantine(path, because: "it has no valid header", in: &orphans)
        case .content(let recovered):
            let runs = recovered.runs.filter { $0.clientId == clientId }.map { $0.dated(now) }
            if runs.isEmpty {
                try? system.remove(path)
            } else {
                let segments = try keep(runs, of: recovered, in: bytes, path: path)
                for (run, segment) in zip(runs, segments) {
                    orphans.add(segment, ordinal: recovered.ordinal, begin: run.begin)
                }
            }
            orphans.noteLogged(recovered.lastLogged, session: recovered.session.id)
            orphans.noteDamaged(recovered.damaged, path: path)
            orphans.noteOfOtherClients(recovered.runs.reduce(0) { $1.clientId == clientId ? $0 : $0 + $1.count }, path: path)
        }
    }

    private func adoptMark(_ path: String, clientId: String?, into orphans: inout OrphanedSegments) throws(FileError) {
        switch try content(of: path).withByteView(SessionMark.read) {
        case .empty: try? system.remove(path)
        case .corrupt: quarantine(path, because: "it has no valid content", in: &orphans)
        case .content(let mark):
            // A logger of this process that was released without a shutdown is no end of a process.
            guard mark.clientId == clientId, mark.process != .current else { return try system.remove(path) }
            // It stays on the disk until the end is reported.
            let own = nextAdoptedPath(suffix: Self.markSuffix)
            try system.rename(path, to: own)
            orphans.add(EndedSession(mark: mark, file: SpoolFile(path: own, owner: lock, system: system)))
        }
    }

    /// Adopts runs of a dead owner's file: copies them to smaller files, or renames the file if that saves little space or there
    /// is no room for copies.
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
                    let copy = bytes.withByteView { SegmentRecovery.segment(of: run, in: recovered, bytes: $0, file: file) }
                    copies.append(copy)
                    try copy.write(to: system.open(file.path, for: .create))
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
            bytes.withByteView { SegmentRecovery.segment(of: run, in: recovered, bytes: $0, file: file) }
        }
    }

    /// The maximum number of unused bytes of a file that is renamed instead of copied.
    private static let unusedBytes = 32 << 10

    /// Renames a file that is not a valid segment, so that a developer can examine it.
    func quarantine(_ path: String, because reason: String, in orphans: inout OrphanedSegments) {
        if (try? system.rename(path, to: path + Self.quarantineSuffix)) == nil { try? system.remove(path) }
        orphans.report(.corruptFile, "\(path) was set aside as \(Self.quarantineSuffix): \(reason).")
    }

    /// Removes quarantined files of at least an age in seconds, and all but the eight newest ones.
    static func removeQuarantined(in directory: String, olderThan age: TimeInterval, _ system: FileSystem) {
        let names = (try? system.list(directory)) ?? []
        let corrupt = names.filter { $0.hasSuffix(quarantineSuffix) }.map { name -> (path: String, modified: Int64) in
            let path = "\(directory)/\(name)"
            return (path, (try? system.status(path)?.modified) ?? 0)
        }
        let now = system.now()
        for (index, file) in corrupt.sorted(by: { $0.modified > $1.modified }).enumerated()
        where index >= 8 || Double(now - file.modified) >= age { try? system.remove(file.path) }
    }
}
