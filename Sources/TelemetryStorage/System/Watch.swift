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
/// A directory reports created and removed files, a file reports writes: the newest file is watched as well.
package final class Watch {
    private let path: String
    private let identity: [UInt64]
    private let sources: [any DispatchSourceProtocol]

    /// Nil if the system cannot watch the directory.
    package init?(path: String, _ changed: @escaping @Sendable () -> Void) {
        self.path = path
        identity = Self.paths(in: path).map(Self.inode)
        sources = Self.paths(in: path).compactMap { Self.source(watching: $0, changed) }
        if sources.isEmpty { return nil }
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns false if another file or directory has to be watched now.
    package func renew() -> Bool { Self.paths(in: path).map(Self.inode) == identity }

    private static func paths(in directory: String) -> [String] {
        let names = (try? FileSystem().list(directory)) ?? []
        let newest = names.compactMap(StoreLayout.journalNumber).max()
        return [directory] + (newest.map { ["\(directory)/\($0).log"] } ?? [])
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

    /// Nil if the system cannot watch the directory.
    package init?(path: String, _ changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard Self.add(path, to: descriptor) else {
            _ = close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { @Sendable in
            // The journal contains the changes; the queue is only drained.
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
