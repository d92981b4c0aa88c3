import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem

/// A directory in which segments are kept after their process ends. Several loggers and processes may share it: the names of an
/// owner's files begin with its identifier, and they are guarded by the owner's lock and the lock of the segment it writes to.
/// Only files of dead owners are adopted. A file may be mapped by a process, so it is never shortened or rewritten in place, only
/// removed or renamed.
///
/// Used by the logger's actor. Any thread may create a segment's file.
final class Spool: Sendable {
    let directory: String
    let system: FileSystem
    let owner: String
    let lock: SpoolLock
    /// Why other users can change the directory's content; nil if they cannot.
    let exposure: String?
    private let adopted = Atomic<Int>(0)

    static let lockSuffix = ".lock"
    static let segmentSuffix = ".segment"
    static let ringSuffix = ".ring"
    static let markSuffix = ".session"
    static let quarantineSuffix = ".corrupt"

    /// Opens the directory, creating it if it is missing, and becomes an owner in it.
    init(directory: URL, system: FileSystem = FileSystem()) throws {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        try system.makeDirectories(path)
        self.directory = path
        self.system = system
        exposure = system.exposure(ofDirectory: path)
        (owner, lock) = try Self.becomeOwner(in: path, system)
    }

    /// A process that searches for dead owners may lock the new file first; then another name is tried.
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

    /// Creates a segment's file, allocates all its blocks, and maps it.
    /// - Parameter isUnmapped: False if the memory stays mapped for as long as the process runs.
    func allocate(
        bytes: Int, ordinal: UInt64, suffix: String = Spool.segmentSuffix, isUnmapped: Bool = true
    ) throws(FileError) -> SegmentMemory {
        let path = "\(directory)/\(owner)-\(ordinal)\(suffix)"
        let file = try system.open(path, for: .create)
        do throws(FileError) {
            // Locked if a process that searches for dead owners has just found the file without its owner's lock.
            guard try file.tryLock(.exclusive) else { throw .locked(path) }
            try file.allocate(bytes: bytes)
            // Nothing else uses the mapping. The file has all of its bytes, and is never shortened.
            let mapped = try unsafe file.map(bytes: bytes)
            let spoolFile = SpoolFile(path: path, owner: lock, system: system, file: file)
            return unsafe SegmentMemory(mapped, file: spoolFile, isMapped: true) {
                if isUnmapped { unsafe OpenFile.unmap($0) }
            }
        } catch {
            try? system.remove(path)
            throw error
        }
    }

    /// Returns the path for the next file that is adopted from a dead owner.
    func nextAdoptedPath(suffix: String = Spool.segmentSuffix) -> String {
        let number = adopted.add(1, ordering: .relaxed).newValue
        return "\(directory)/\(owner)-a\(number)\(suffix)"
    }

    /// Ends the ownership. Remaining files can be adopted.
    func close() { lock.release() }
}
