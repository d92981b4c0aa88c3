// The symbols of the C library that TelemetrySystem uses on every system.
//
// `.ci/c-libraries` compiles this file as the module Darwin, Musl or Android, and the storage layer against it. So a symbol that is not
// listed does not compile: before it is added here, look it up in the headers of each library.

public import Glibc

@_exported public import var Glibc.AT_FDCWD
@_exported public import var Glibc.AT_SYMLINK_NOFOLLOW
@_exported public import var Glibc.EACCES
@_exported public import var Glibc.EDQUOT
@_exported public import var Glibc.EEXIST
@_exported public import var Glibc.EFBIG
@_exported public import var Glibc.EINTR
@_exported public import var Glibc.EINVAL
@_exported public import var Glibc.EIO
@_exported public import var Glibc.EISDIR
@_exported public import var Glibc.ELOOP
@_exported public import var Glibc.EMFILE
@_exported public import var Glibc.ENAMETOOLONG
@_exported public import var Glibc.ENFILE
@_exported public import var Glibc.ENOENT
@_exported public import var Glibc.ENOSPC
@_exported public import var Glibc.ENOTDIR
@_exported public import var Glibc.ENXIO
@_exported public import var Glibc.EOPNOTSUPP
@_exported public import var Glibc.EPERM
@_exported public import var Glibc.EROFS
@_exported public import var Glibc.EWOULDBLOCK
@_exported public import var Glibc.LOCK_EX
@_exported public import var Glibc.LOCK_NB
@_exported public import var Glibc.LOCK_SH
@_exported public import var Glibc.LOCK_UN
@_exported public import var Glibc.MAP_FAILED
@_exported public import var Glibc.MAP_SHARED
@_exported public import var Glibc.O_APPEND
@_exported public import var Glibc.O_CLOEXEC
@_exported public import var Glibc.O_CREAT
@_exported public import var Glibc.O_EXCL
@_exported public import var Glibc.O_NOFOLLOW
@_exported public import var Glibc.O_NONBLOCK
@_exported public import var Glibc.O_RDONLY
@_exported public import var Glibc.O_RDWR
@_exported public import var Glibc.PROT_READ
@_exported public import var Glibc.PROT_WRITE
@_exported public import var Glibc.SA_ONSTACK
@_exported public import var Glibc.SA_SIGINFO
@_exported public import var Glibc.SIGABRT
@_exported public import var Glibc.SIGBUS
@_exported public import var Glibc.SIGFPE
@_exported public import var Glibc.SIGILL
@_exported public import var Glibc.SIGSEGV
@_exported public import var Glibc.SIGTRAP
@_exported public import func Glibc.atexit
@_exported public import func Glibc.chmod
@_exported public import func Glibc.clock_gettime
@_exported public import func Glibc.close
@_exported public import func Glibc.closedir
@_exported public import var Glibc.errno
@_exported public import func Glibc.fchmod
@_exported public import func Glibc.fstat
@_exported public import func Glibc.fstatat
@_exported public import func Glibc.fsync
@_exported public import func Glibc.ftruncate
@_exported public import func Glibc.geteuid
@_exported public import func Glibc.getpid
@_exported public import func Glibc.link
@_exported public import func Glibc.lseek
@_exported public import func Glibc.lstat
@_exported public import func Glibc.memchr
@_exported public import func Glibc.memcmp
@_exported public import func Glibc.memcpy
@_exported public import func Glibc.mkdir
@_exported public import func Glibc.mmap
@_exported public import typealias Glibc.mode_t
@_exported public import func Glibc.munmap
@_exported public import typealias Glibc.off_t
@_exported public import func Glibc.open
@_exported public import func Glibc.opendir
@_exported public import func Glibc.pread
@_exported public import func Glibc.pwrite
@_exported public import func Glibc.raise
@_exported public import func Glibc.read
@_exported public import func Glibc.readdir
@_exported public import func Glibc.rename
@_exported public import func Glibc.rmdir
@_exported public import func Glibc.sigemptyset
@_exported public import typealias Glibc.siginfo_t
@_exported public import func Glibc.strerror
@_exported public import func Glibc.time
@_exported public import typealias Glibc.time_t
@_exported public import struct Glibc.timespec
@_exported public import func Glibc.unlink
@_exported public import func Glibc.utimensat
@_exported public import func Glibc.write

// An import by name cannot tell a structure and a function of one name apart. Only compiled, never run.

public typealias stat = Glibc.stat
public typealias sigaction = Glibc.sigaction

public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { -1 }

// A call of the function, which a module cannot have beside the structure.
extension Glibc.sigaction {
    @discardableResult
    public init(_ signal: Int32, _ action: UnsafePointer<sigaction>?, _ old: UnsafeMutablePointer<sigaction>?) { self.init() }
}
