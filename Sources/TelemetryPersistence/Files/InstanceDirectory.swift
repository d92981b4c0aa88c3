package import Foundation
import Synchronization
import TelemetryModels
import TelemetryStorage

/// Where one instance of a host keeps what it stores about one store: a directory of its own.
///
/// The instances without a name take directories in the order in which these were made, the first that no other instance holds:
/// after a restart, an instance is the same client again. A directory is held by the lock of a file beside it, for as long as the
/// process or this object lives. An instance that finds none takes a new one, which nobody else can have; it is made with the
/// first change that is stored, so that a host whose user never opted in writes nothing.
///
/// Version 1 kept one state for each executable. The first instance that finds it uses it where it is, and notes beside it for
/// which store and instance, so that others leave it alone.
package final class InstanceDirectory: Sendable {
    /// The directory; it need not exist.
    package let url: URL
    private let state: Mutex<Holding>
    private let system: FileSystem

    private enum Holding: Sendable {
        /// The directory is new: it is held once something is stored.
        case toBeClaimed(lock: String)
        case claimed(OpenFile)
        /// Instances that have the same name share a directory.
        case shared
    }

    /// - Parameters:
    ///   - root: The executable's directory, where version 1 kept its state.
    ///   - store: The store's identifier; nil where it has none.
    ///   - instance: The instance's name; nil for the first directory that no other instance holds.
    package convenience init(in root: URL, store: String?, instance: String?) {
        self.init(in: root, store: store, instance: instance, system: FileSystem())
    }

    init(in root: URL, store: String?, instance: String?, system: FileSystem) {
        self.system = system
        // No name has the separator.
        let key = [store ?? "", instance].compactMap(\.self).map { EncodedName.encode($0) }.joined(separator: "-")
        let directory = root.appending(path: "stores", directoryHint: .isDirectory)
            .appending(path: EncodedName.encode(store ?? ""), directoryHint: .isDirectory)
        let former = FormerState(root: root, system: system)
        let holding: Holding
        if let instance {
            url = former.take(for: key) ? root : directory.appending(path: "named.\(EncodedName.encode(instance))")
            holding = .shared
        } else if former.isAvailable(for: key), let lock = Self.lock(former.lockPath, system, isNew: true),
            former.take(for: key)
        {
            // Whose it is may have been noted before the lock was had.
            (url, holding) = (root, .claimed(lock))
        } else {
            (url, holding) = Self.first(in: directory, system)
        }
        state = Mutex(holding)
    }

    /// Holds the directory from now on. Call it before something is stored; where the lock cannot be had, for want of room say,
    /// what is stored outlives the process all the same, but not as an instance's own.
    package func claim() {
        state.withLock { state in
            guard case .toBeClaimed(let path) = state else { return }
            let directory = FileSystem.directory(of: path)
            // Under a name that nobody looks for, until it is locked: whoever sees it sees that it is held.
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

    /// Lets another instance have the directory.
    package func release() {
        state.withLock { state in
            if case .claimed(let file) = state { file.unlock() }
            state = .shared
        }
    }

    // MARK: Taking one

    private static let prefix = "instance."
    private static let suffix = ".lock"

    /// The first directory that can be had, or a new one.
    private static func first(in directory: URL, _ system: FileSystem) -> (URL, Holding) {
        let path = directory.path(percentEncoded: false)
        for name in ((try? system.list(path)) ?? []).sorted() where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            guard let lock = lock("\(path)/\(name)", system, isNew: false) else { continue }
            return (directory.appending(path: String(name.dropLast(suffix.count))), .claimed(lock))
        }
        // In the order in which they were made, as far as the clock goes; random, because two may be made at once.
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

/// What version 1 kept under the executable's name, whatever the store.
private struct FormerState {
    let root: URL
    let system: FileSystem

    var lockPath: String { path("instance.lock") }
    private var notePath: String { path("instance.key") }

    /// Whether it was taken for this key, or there is something that nobody has taken.
    func isAvailable(for key: String) -> Bool {
        if let note { return note == Array(key.utf8) }
        return ["settings.json", "settings.opted-out", "settings.opted-out.taken"].contains(where: isThere)
    }

    /// Takes it, unless another store's or name's instance was faster. Where that cannot be noted, it is taken all the same: a
    /// decision of the person must not be lost for want of room.
    /// - Returns: whether it is taken for this key.
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
