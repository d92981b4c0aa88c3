import Foundation
import Synchronization
import TelemetryModels
import TelemetryStorage

/// A directory in which segments outlive their process. Several loggers and processes may share it: each owner's files are
/// named after it and guarded by its lock and that of the segment it writes to, and only those of owners that have died are
/// taken over. No file is ever shortened or rewritten in place, since a process may have it mapped: it is removed, or renamed.
///
/// Used under the capture's lock and by the logger's actor, one at a time.
final class Spool: Sendable {
    let directory: String
    let system: FileSystem
    let owner: String
    let lock: SpoolLock
    /// Why other users can change what is in the directory; nil if they cannot.
    let exposure: String?
    private let adopted = Atomic<Int>(0)

    static let lockSuffix = ".lock"
    static let segmentSuffix = ".segment"
    static let setAsideSuffix = ".corrupt"

    /// Opens the directory, making it where it is missing, and becomes an owner in it.
    init(directory: URL, system: FileSystem = FileSystem()) throws {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        try system.makeDirectories(path)
        self.directory = path
        self.system = system
        exposure = system.exposure(ofDirectory: path)
        (owner, lock) = try Self.becomeOwner(in: path, system)
    }

    /// Somebody who looks for dead owners may lock the new file first; then another name is tried.
    private static func becomeOwner(
        in path: String, _ system: FileSystem, attempts: Int = 5
    ) throws(FileError) -> (String, SpoolLock) {
        let owner = EventIdentifier.randomPrefix()
        do {
            return (owner, try SpoolLock.create("\(path)/\(owner)\(lockSuffix)", system))
        } catch {
            guard error.isLocked, attempts > 1 else { throw error }
            return try becomeOwner(in: path, system, attempts: attempts - 1)
        }
    }

    /// Makes a segment's file, with all its blocks, and maps it.
    func allocate(bytes: Int, ordinal: UInt64) throws(FileError) -> SegmentMemory {
        let path = "\(directory)/\(owner)-\(ordinal)\(Self.segmentSuffix)"
        let file = try system.open(path, for: .create)
        do throws(FileError) {
            // Without it, somebody who looks for dead owners has just found the file, and the owner's lock missing.
            guard try file.tryLock(.exclusive) else { throw .locked(path) }
            try file.allocate(bytes: bytes)
            let mapped = try file.map(bytes: bytes)
            let spoolFile = SpoolFile(path: path, owner: lock, system: system, file: file)
            return SegmentMemory(mapped, file: spoolFile, isMapped: true) { OpenFile.unmap($0) }
        } catch {
            try? system.remove(path)
            throw error
        }
    }

    /// The name of one more file that is taken over from a dead owner.
    func nextAdoptedPath() -> String {
        let number = adopted.add(1, ordering: .relaxed).newValue
        return "\(directory)/\(owner)-a\(number)\(Self.segmentSuffix)"
    }

    /// Gives up being an owner; files that remain wait for whoever adopts them.
    func close() { lock.release() }
}
