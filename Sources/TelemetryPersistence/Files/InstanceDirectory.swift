package import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem

/// The directory in which one instance of a host keeps its state for one store.
///
/// An unnamed instance takes the oldest directory that no other instance holds, so that it is the same client after a restart. A
/// directory is held by locking a file next to it, until the process ends or this object is released. If there is no free
/// directory, the instance takes a new one, which is created with the first stored change: a host whose user never opted in
/// writes nothing.
package final class InstanceDirectory: Sendable {
    /// The directory. It may not exist yet.
    package let url: URL
    private let state: Mutex<Holding>
    private let system: FileSystem

    private enum Holding: Sendable {
        /// The directory is new and is locked once something is stored.
        case toBeClaimed(lock: String)
        case claimed(OpenFile)
        /// Instances with the same name share a directory.
        case shared
    }

    /// - Parameters:
    ///   - root: The executable's directory.
    ///   - store: The store's identifier; nil if it has none.
    ///   - instance: The instance's name; nil for the first directory that no other instance holds.
    package convenience init(in root: URL, store: String?, instance: String?) {
        self.init(in: root, store: store, instance: instance, system: FileSystem())
    }

    init(in root: URL, store: String?, instance: String?, system: FileSystem) {
        self.system = system
        let directory = root.appending(path: "stores", directoryHint: .isDirectory)
            .appending(path: EncodedName.encode(store ?? ""), directoryHint: .isDirectory)
        if let instance {
            url = directory.appending(path: "named.\(EncodedName.encode(instance))")
            state = Mutex(.shared)
        } else {
            let (url, holding) = Self.first(in: directory, system)
            self.url = url
            state = Mutex(holding)
        }
    }

    /// Locks the directory. Call it before storing something. If the lock cannot be acquired, for example on a full disk, the
    /// stored state still outlives the process, but other instances may use it too.
    package func claim() {
        state.withLock { state in
            guard case .toBeClaimed(let path) = state else { return }
            let directory = FileSystem.directory(of: path)
            // Created under a temporary name and renamed once it is locked, so that other instances only ever find it locked.
            let temporary = FileSystem.temporaryPath(in: directory)
            do throws(FileError) {
                try system.makeDirectories(directory)
                let file = try system.open(temporary, for: .create)
                guard try file.tryLock(.exclusive) else { throw FileError.locked(temporary) }
                try system.rename(temporary, to: path)
                state = .claimed(file)
            } catch {
                try? system.remove(temporary)
            }
        }
    }

    /// Releases the directory for other instances.
    package func release() {
        state.withLock { state in
            if case .claimed(let file) = state { file.unlock() }
            state = .shared
        }
    }

    // MARK: Taking one

    private static let prefix = "instance."
    private static let suffix = ".lock"

    /// Returns the first free directory, or a new one.
    private static func first(in directory: URL, _ system: FileSystem) -> (URL, Holding) {
        let path = directory.path(percentEncoded: false)
        for name in ((try? system.list(path)) ?? []).sorted() where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            guard let lock = lock("\(path)/\(name)", system) else { continue }
            return (directory.appending(path: String(name.dropLast(suffix.count))), .claimed(lock))
        }
        // The name sorts by creation date. It has a random part, because two may be created at the same time.
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1_000)
        let time = String(milliseconds, radix: 16)
        let name = prefix + String(repeating: "0", count: max(0, 12 - time.count)) + time + "." + EventIdentifier.randomPrefix()
        return (directory.appending(path: name), .toBeClaimed(lock: "\(path)/\(name)\(suffix)"))
    }

    private static func lock(_ path: String, _ system: FileSystem) -> OpenFile? {
        guard let file = try? system.open(path, for: .write), (try? file.tryLock(.exclusive)) == true else { return nil }
        return file
    }
}
