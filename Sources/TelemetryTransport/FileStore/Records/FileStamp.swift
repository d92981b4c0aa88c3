import TelemetrySystem

/// What differs between two states of a file or directory, if the later one has another date.
struct FileStamp: Equatable {
    let inode: UInt64
    private let size: UInt64
    private let modified: Int64
    private let nanoseconds: Int64

    init(_ status: FileStatus) {
        (inode, size) = (status.inode, status.size)
        (modified, nanoseconds) = (status.modified, status.modifiedNanoseconds)
    }
}
