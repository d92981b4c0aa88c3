package import Foundation
import Synchronization
import TelemetryModels
import TelemetryStorage

/// The directory in which one instance of a host keeps its state for one store.
///
/// An unnamed instance takes the oldest directory that no other instance holds, so that it is the same client after a restart. A
/// directory is held by locking a file next to it, until the process ends or this object is released. If there is no free
/// directory, the instance takes a new one, which is created with the first stored change: a host whose user never opted in
/// writes nothing.
///
/// Version 1 kept one state per executable. The first instance that finds that state uses it in place, and records its store and
/// instance in a file next to it, so that other instances do not use it.
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
    ///   - root: The executable's directory, in which version 1 kept its state.
    ///   - store: The store's identifier; nil if it has none.
    ///   - instance: The instance's name; nil for the first directory that no other instance holds.
    package convenience init(in root: URL, store: String?, instance: String?) {
        self.init(in: root, store: store, instance: instance, system: FileSystem())
    }

    init(in root: URL, store: String?, instance: String?, system: FileSystem) {
        self.system = system
        // Encoded names do not contain the separator.
        let key = [store ?? "", instance].compactMap(\.self).map { EncodedName.encode($0) }.joined(separator: "-")
        let directory = root.appending(path: "stores", directoryHint: .isDirectory)
            .appending(path: EncodedName.encode(store ?? ""), directoryHint: .isDirectory)
        let former = Version1State(root: root, system: system)
        let holding: Holding
        if let instance {
            url = former.take(for: key) ? root : directory.appending(path: "named.\(EncodedName.encode(instance))")
            holding = .shared
        } else if former.isAvailable(for: key), let lock = Self.lock(former.lockPath, system, isNew: true),
            former.take(for: key)
        {
            // Another instance may have recorded itself before the lock was acquired.
            (url, holding) = (root, .claimed(lock))
        } else {
            (url, holding) = Self.first(in: directory, system)
        }
        state = Mutex(holding)
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
            guard let lock = lock("\(path)/\(name)", system, isNew: false) else { continue }
            return (directory.appending(path: String(name.dropLast(suffix.count))), .claimed(lock))
        }
        // The name sorts by creation date. It has a random part, because two may be created at the same time.
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1_000)
        let time = String(milliseconds, radix: 16)
        let name = prefix + String(repeating: "0", count: max(0, 12 - time.count)) + time + "." + EventIdentifier.randomPrefix()
        return (directory.appending(path: name), .toBeClaimed(lock: "\(path)/\(name)\(suffix)"))
    }

    private static func lock(_ path: String, _ system: FileSystem, isNew: Bool) -> OpenFile? {
        guard let file = try? system.open(path, for: isNew ? .update : .write), (try? file.tryLock(.exclusive)) == true else {
            return nil
        }
        return file
    }
}

/// The state of version 1, which it kept under the executable's name for every store.
private struct Version1State {
    let root: URL
    let system: FileSystem

    var lockPath: String { path("instance.lock") }
    private var notePath: String { path("instance.key") }

    /// Whether the state belongs to this key, or exists and belongs to none.
    func isAvailable(for key: String) -> Bool {
        if let note { return note == Array(key.utf8) }
        return ["settings.json", "settings.opted-out", "settings.opted-out.taken"].contains(where: isThere)
    }

    /// Takes the state for this key, unless another instance was first. If that cannot be recorded, it is taken anyway, because
    /// the person's decision must not be lost on a full disk.
    /// - Returns: Whether the state belongs to this key.
    func take(for key: String) -> Bool {
        guard isAvailable(for: key) else { return false }
        let key = Array(key.utf8)
        let isNoted = try? system.make(notePath, isDurable: false) { file throws(FileError) in try file.write(key) }
        return isNoted ?? true || note == key
    }

    private var note: [UInt8]? { try? PrivateFile(notePath, system: system).read() }

    private func isThere(_ name: String) -> Bool { (try? system.status(path(name))) != nil }

    private func path(_ name: String) -> String { root.appending(path: name).path(percentEncoded: false) }
}
