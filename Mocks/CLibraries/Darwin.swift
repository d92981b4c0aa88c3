// The names are those of the headers.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Dispatch
public import Glibc

@_exported public import var Glibc.CLOCK_MONOTONIC_RAW
@_exported public import func Glibc.fcntl

// What TelemetrySystem uses in addition on Apple's systems, with the declarations of their headers. Only compiled, never run.

extension Glibc.stat {
    public var st_mtimespec: timespec { st_mtim }
}

public let F_ALLOCATEALL: Int32 = 4
public let F_FULLFSYNC: Int32 = 51
public let F_PEOFPOSMODE: Int32 = 3
public let F_PREALLOCATE: Int32 = 42
public let O_EVTONLY: Int32 = 0x8000

public struct fstore_t {
    public var fst_flags: UInt32
    public var fst_posmode: Int32
    public var fst_offset: off_t
    public var fst_length: off_t
    public var fst_bytesalloc: off_t

    public init(fst_flags: UInt32, fst_posmode: Int32, fst_offset: off_t, fst_length: off_t, fst_bytesalloc: off_t) {
        self.fst_flags = fst_flags
        self.fst_posmode = fst_posmode
        self.fst_offset = fst_offset
        self.fst_length = fst_length
        self.fst_bytesalloc = fst_bytesalloc
    }
}

@discardableResult
public func sysctlbyname(
    _ name: UnsafePointer<CChar>?, _ old: UnsafeMutableRawPointer?, _ oldSize: UnsafeMutablePointer<Int>?,
    _ new: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { -1 }

extension DispatchSource {
    /// <https://developer.apple.com/documentation/dispatch/dispatchsource/makefilesystemobjectsource(filedescriptor:eventmask:queue:)>
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceProtocol { makeReadSource(fileDescriptor: fileDescriptor, queue: queue) }
}
