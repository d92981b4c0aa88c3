import Foundation
import TelemetryModels

extension Spool {
    /// What dead owners left in a directory.
    struct Legacy {
        /// Each owner's segments in their order.
        var owners: [[SegmentRecovery.Recovered]] = []
        /// Events that could not be read any more.
        var damaged = 0
        var diagnostics: [TelemetryDiagnostic] = []

        /// All segments, those of the owner with the oldest events first.
        var segments: [Segment] {
            owners.sorted { $0.first?.begin ?? 0 < $1.first?.begin ?? 0 }.flatMap { $0.map(\.segment) }
        }
    }

    /// Takes over what dead owners left.
    static func adopt(in directory: URL, maximumAge: TimeInterval) -> Legacy {
        var legacy = Legacy()
        for owner in abandoned(in: directory) { recover(owner, into: &legacy) }
        removeSetAside(in: directory, olderThan: maximumAge)
        return legacy
    }

    /// Removes what dead owners left, unread, and what was set aside.
    static func purge(_ directory: URL) {
        for owner in abandoned(in: directory) {
            for path in owner.segments { SpoolFile(path: path, lock: owner.lock).remove() }
            owner.lock.release()
        }
        removeSetAside(in: directory, olderThan: 0)
    }

    private struct Owner {
        let lock: SpoolLock
        let segments: [String]
    }

    /// Owners whose process is gone. Their locks are held from now on.
    private static func abandoned(in directory: URL) -> [Owner] {
        let path = directory.path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var owners: [String: [String]] = [:]
        for name in names {
            if name.hasSuffix(lockSuffix) {
                owners[String(name.dropLast(lockSuffix.count)), default: []] += []
            } else if name.hasSuffix(segmentSuffix), let dash = name.lastIndex(of: "-") {
                owners[String(name[..<dash]), default: []].append("\(path)/\(name)")
            }
        }
        return owners.sorted { $0.key < $1.key }.compactMap { owner, segments in
            // A lock that cannot be had is somebody's who lives, or unusable: either way, not ours.
            guard let lock = try? SpoolLock.adopt("\(path)/\(owner)\(lockSuffix)") else { return nil }
            return Owner(lock: lock, segments: segments)
        }
    }

    private static func recover(_ owner: Owner, into legacy: inout Legacy) {
        var found: [SegmentRecovery.Recovered] = []
        for path in owner.segments {
            let file = SpoolFile(path: path, lock: owner.lock)
            do {
                let bytes = try SystemFile.read(path, atMost: 2 * Segment.maximumBytes)
                let memory = SegmentMemory(bytes, file: file) { $0.deallocate() }
                switch SegmentRecovery.read(memory) {
                case .empty: file.remove()
                case .recovered(var recovered):
                    note(recovered, path: path, in: &legacy)
                    if recovered.segment.waiting > 0 {
                        // What was reserved and not used would count as waiting, here and on the disk.
                        recovered.segment = SegmentRecovery.trimmed(recovered.segment, file: file)
                        SystemFile.truncate(path, bytes: recovered.segment.committed)
                        found.append(recovered)
                    } else {
                        file.remove()
                    }
                case .corrupt: setAside(file, because: "it has no valid header", in: &legacy)
                }
            } catch {
                if error.isMissing {
                    file.remove()
                } else if error.isLasting {
                    setAside(file, because: "\(error)", in: &legacy)
                } else {
                    // Too many open files, a device that is still locked: the next start may have better luck.
                    legacy.diagnostics.append(
                        TelemetryDiagnostic(kind: .storageFailed, message: "A spooled file is left for the next start: \(error)"))
                }
            }
        }
        if !found.isEmpty { legacy.owners.append(found.sorted { $0.ordinal < $1.ordinal }) }
        owner.lock.release()
    }

    private static func note(_ recovered: SegmentRecovery.Recovered, path: String, in legacy: inout Legacy) {
        guard recovered.damaged > 0 else { return }
        legacy.damaged += recovered.damaged
        legacy.diagnostics.append(
            TelemetryDiagnostic(
                kind: .tornTail,
                message: "\(recovered.damaged) events at the end of \(path) were not finished; they are left out."))
    }

    private static func setAside(_ file: SpoolFile, because reason: String, in legacy: inout Legacy) {
        _ = try? FileManager.default.moveItem(atPath: file.path, toPath: file.path + setAsideSuffix)
        file.remove()
        legacy.diagnostics.append(
            TelemetryDiagnostic(kind: .corruptFile, message: "\(file.path) was set aside as \(setAsideSuffix): \(reason)."))
    }

    /// Files that were set aside are for a developer to look at; they do not pile up.
    private static func removeSetAside(in directory: URL, olderThan age: TimeInterval) {
        let path = directory.path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let corrupt = names.filter { $0.hasSuffix(setAsideSuffix) }.map { name -> (path: String, date: Date) in
            let file = "\(path)/\(name)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            return (file, attributes?[.modificationDate] as? Date ?? .distantPast)
        }
        for (index, file) in corrupt.sorted(by: { $0.date > $1.date }).enumerated()
        where index >= 8 || -file.date.timeIntervalSinceNow >= age {
            try? FileManager.default.removeItem(atPath: file.path)
        }
    }
}
