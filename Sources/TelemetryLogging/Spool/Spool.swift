import Foundation
import TelemetryModels

/// A directory in which segments outlive their process. Several loggers and processes may share it: each owner's files are
/// named after it and guarded by its lock, and only those of owners that have died are taken over.
///
/// Used under the capture's lock and by the logger's actor, one at a time.
final class Spool: Sendable {
    private let directory: String
    private let owner: String
    private let lock: SpoolLock

    static let lockSuffix = ".lock"
    static let segmentSuffix = ".segment"
    static let setAsideSuffix = ".corrupt"

    /// Opens the directory, making it where it is missing, and becomes an owner in it.
    init(directory: URL) throws {
        let path = directory.path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.directory = path
        (owner, lock) = try Self.becomeOwner(in: path)
    }

    /// Somebody who looks for dead owners may lock the new file first; then another name is tried.
    private static func becomeOwner(in path: String, attempts: Int = 5) throws -> (String, SpoolLock) {
        let owner = EventIdentifier.randomPrefix()
        do {
            return (owner, try SpoolLock.create("\(path)/\(owner)\(lockSuffix)"))
        } catch {
            guard error.code == 0, attempts > 1 else { throw error }
            return try becomeOwner(in: path, attempts: attempts - 1)
        }
    }

    /// Makes a segment's file, with all its blocks, and maps it.
    func allocate(bytes: Int, ordinal: UInt64) throws(SpoolError) -> SegmentMemory {
        let path = "\(directory)/\(owner)-\(ordinal)\(Self.segmentSuffix)"
        let descriptor = try SystemFile.open(path, creating: true)
        defer { SystemFile.closeFile(descriptor) }
        do {
            try SystemFile.allocate(descriptor, bytes: bytes, path: path)
            let mapped = try SystemFile.map(descriptor, bytes: bytes, path: path)
            return SegmentMemory(mapped, file: SpoolFile(path: path, lock: lock), isMapped: true) {
                SystemFile.unmap($0)
            }
        } catch {
            SystemFile.remove(path)
            throw error
        }
    }

    /// Gives up being an owner; files that remain wait for whoever adopts them.
    func close() { lock.release() }
}
