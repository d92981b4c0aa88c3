#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// The attributes of a file that the store uses.
package struct FileStatus {
    package let size: UInt64
    package let inode: UInt64
    /// The file system that contains the file.
    package let device: UInt64
    /// Seconds since 1970 at the last change of the content.
    package let modified: Int64
    /// The nanoseconds that follow these seconds.
    package let modifiedNanoseconds: Int64
    package let isDirectory: Bool
    package let isRegularFile: Bool
    /// The user ID of the file's owner.
    package let owner: UInt32
    package let isWritableByGroup: Bool
    package let isWritableByOthers: Bool
    /// Whether only the owner has access.
    package let isPrivate: Bool
    /// Whether the file still has a name.
    package let isLinked: Bool
    /// Whether its owner may write to it.
    package let isWritable: Bool

    /// The file's identity, independent of its name.
    package struct Identity: Sendable, Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    package var identity: Identity { Identity(device: device, inode: inode) }

    init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        inode = UInt64(status.st_ino)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        #if canImport(Darwin)
        modified = Int64(status.st_mtimespec.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtimespec.tv_nsec)
        #else
        modified = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
        #endif
        isDirectory = UInt32(status.st_mode) & 0o170000 == 0o040000
        isRegularFile = UInt32(status.st_mode) & 0o170000 == 0o100000
        owner = UInt32(status.st_uid)
        isWritableByGroup = UInt32(status.st_mode) & 0o020 != 0
        isWritableByOthers = UInt32(status.st_mode) & 0o002 != 0
        isPrivate = UInt32(status.st_mode) & 0o077 == 0
        isLinked = status.st_nlink > 0
        isWritable = UInt32(status.st_mode) & 0o200 != 0
    }
}
