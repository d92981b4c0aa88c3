@preconcurrency import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

#if canImport(Darwin)
/// The system's change notifications for one directory; ends with the last reference.
///
/// A directory reports created and removed files, a file reports writes: the file that is written to is watched as well.
package final class Watch {
    private let path: String
    private let writtenFile: @Sendable ([String]) -> String?
    private let identity: [UInt64]
    private let sources: [any DispatchSourceProtocol]

    /// Nil if the system cannot watch the directory.
    /// - Parameter writtenFile: Chooses the file whose writes are reported, too, from the names in the directory.
    package init?(
        path: String, writtenFile: @escaping @Sendable ([String]) -> String?, _ changed: @escaping @Sendable () -> Void
    ) {
        self.path = path
        self.writtenFile = writtenFile
        let paths = Self.paths(in: path, writtenFile)
        identity = paths.map(Self.inode)
        sources = paths.compactMap { Self.source(watching: $0, changed) }
        if sources.isEmpty { return nil }
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns false if another file or directory has to be watched now.
    package func renew() -> Bool { Self.paths(in: path, writtenFile).map(Self.inode) == identity }

    private static func paths(in directory: String, _ writtenFile: ([String]) -> String?) -> [String] {
        let file = writtenFile((try? FileSystem().list(directory)) ?? [])
        return [directory] + (file.map { ["\(directory)/\($0)"] } ?? [])
    }

    private static func inode(_ path: String) -> UInt64 { (try? FileSystem().status(path)?.inode) ?? 0 }

    private static func source(
        watching path: String, _ changed: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? {
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename])
        source.setEventHandler { @Sendable in changed() }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.resume()
        return source
    }
}
#else
/// The system's change notifications for one directory; ends with the last reference.
package final class Watch {
    private let path: String
    private let descriptor: Int32
    private let source: any DispatchSourceProtocol

    /// Nil if the system cannot watch the directory. Writes to each of its files are reported.
    package init?(path: String, writtenFile _: @Sendable ([String]) -> String?, _ changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard Self.add(path, to: descriptor) else {
            _ = close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { @Sendable in
            // A hint says nothing more; the queue is only drained.
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            changed()
        }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.resume()
        self.path = path
        self.descriptor = descriptor
        self.source = source
    }

    deinit { source.cancel() }

    /// Watches the directory that is at the path now, if it was replaced.
    package func renew() -> Bool { Self.add(path, to: descriptor) }

    private static func add(_ path: String, to descriptor: Int32) -> Bool {
        let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)
        return inotify_add_watch(descriptor, path, mask) >= 0
    }
}
#endif
