import TelemetryModels
import TelemetrySystem

/// A value in a file, for stores that never throw: if the file cannot be read or written, they use the value in memory.
///
/// Unwritten changes are kept and merged onto the file's current value, so that they neither hide nor undo what other processes
/// have written since.
struct StoredDocument<Value: Codable & Sendable & MergeableDocument> {
    /// The file's lock, or the error that prevented it.
    typealias Lock = Result<FileLock, FileError>

    private let file: JSONDocumentFile<Value>
    private let initial: Value
    /// The value last read from the file; used while the file cannot be read.
    private var known: Value?
    private var unsaved: Unsaved?

    private struct Unsaved {
        var value: Value
        /// The value that the changes were made to; nil if the value replaces the whole document.
        let base: Value?
    }

    init(_ file: JSONDocumentFile<Value>, initial: Value) {
        self.file = file
        self.initial = initial
    }

    /// Whether all changes are written.
    var isSaved: Bool { unsaved == nil }

    /// Whether the file does not exist.
    var isMissing: Bool {
        if case .missing = try? file.contents() { true } else { false }
    }

    /// Waits for the lock. Pass the result, even a failure, to the methods that need the lock.
    nonisolated(nonsending) func lock() async -> Lock { await file.lock() }

    /// Returns the stored value; nil if that requires the lock, because changes are unwritten or the file is corrupt. Creates no
    /// file.
    mutating func loadUnlocked() -> Value? {
        guard unsaved == nil else { return nil }
        do {
            switch try file.contents() {
            case .missing: known = initial
            case .found(let value): known = value
            case .corrupt: return nil
            }
            return known
        } catch {
            report(error, "could not be read")
            return known ?? initial
        }
    }

    /// Returns the stored value with the unwritten changes. Tries to write these again, and moves a corrupt file aside.
    mutating func load(_ lock: Lock) -> Value {
        if unsaved != nil, let value = try? write(lock, { _ in }) { return value }
        do {
            _ = try lock.get()
            // Read again under the lock, because another process may have written a valid file meanwhile.
            let value = try file.valueSettingCorruptAside() ?? initial
            known = value
            return current(stored: value)
        } catch {
            // Already reported if changes are unwritten.
            if unsaved == nil { report(error, "could not be read") }
            return unsaved?.value ?? known ?? initial
        }
    }

    mutating func replace(with value: Value, _ lock: Lock) {
        let file = file
        store(value, lock) { try file.write(value) }
    }

    /// Reads, changes and writes the value atomically. The transform runs once, even if reading or writing fails.
    mutating func change(_ lock: Lock, _ transform: (inout Value) -> Void) -> Value {
        var changed: Value?
        do {
            return try write(lock) {
                transform(&$0)
                changed = $0
            }
        } catch {
            report(error, "could not be changed")
            return keep(changed: changed, transform)
        }
    }

    /// Keeps changes that could not be written.
    /// - Parameter changed: The transform's result; nil if it has not run.
    private mutating func keep(changed: Value?, _ transform: (inout Value) -> Void) -> Value {
        let replacesAll = unsaved.map { $0.base == nil } ?? false
        var value = unsaved?.value ?? known ?? initial
        var base = unsaved?.base ?? known ?? initial
        if let changed {
            // Changes that other processes made before are not part of this one.
            value = changed
            base = known ?? initial
        } else {
            transform(&value)
        }
        unsaved = Unsaved(value: value, base: replacesAll ? nil : base)
        return value
    }

    /// Changes the stored value, with the unwritten changes, and writes it.
    private mutating func write(_ lock: Lock, _ transform: (inout Value) -> Void) throws -> Value {
        _ = try lock.get()
        let stored = try file.valueSettingCorruptAside()
        known = stored ?? initial
        var value = current(stored: stored ?? initial)
        transform(&value)
        try file.write(value, unlessSameAs: stored ?? initial)
        known = value
        unsaved = nil
        return value
    }

    /// Returns the stored value with the unwritten changes.
    private func current(stored: Value) -> Value {
        unsaved.map { stored.merging($0.value, since: $0.base) } ?? stored
    }

    /// Resets to the initial value by removing the file. Creates no file.
    ///
    /// - Parameter lock: Nil if the file ``isMissing``.
    mutating func remove(_ lock: Lock?) {
        guard let lock else {
            known = initial
            unsaved = nil
            return
        }
        let file = file
        store(initial, lock) { try file.remove() }
    }

    /// Removes the file without its lock, because acquiring the lock may be what fails.
    /// - Returns: Whether the file was removed.
    func removeFile() -> Bool { (try? file.remove()) != nil }

    private mutating func store(_ value: Value, _ lock: Lock, _ body: () throws -> Void) {
        do {
            _ = try lock.get()
            try body()
            known = value
            unsaved = nil
        } catch {
            report(error, "could not be written")
            unsaved = Unsaved(value: value, base: nil)
        }
    }

    private func report(_ error: any Error, _ what: String) {
        file.diagnostics?(TelemetryDiagnostic(kind: .storageFailed, message: "\(file.path) \(what): \(error)"))
    }
}
