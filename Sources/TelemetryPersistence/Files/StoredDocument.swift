import TelemetryModels
import TelemetryStorage

/// A value in a file, for stores that never throw: where the file cannot be read or written, they go on from memory.
///
/// What could not be written is kept as a change, which is merged onto what stands in the file at the time: nothing that others
/// have written since is hidden by it or undone.
struct StoredDocument<Value: Codable & Sendable & MergeableDocument> {
    /// The file's lock, or why it could not be had.
    typealias Lock = Result<FileLock, FileError>

    private let file: JSONDocumentFile<Value>
    private let initial: Value
    /// What was last seen in the file; stands in for a file that cannot be read for the moment.
    private var known: Value?
    private var unsaved: Unsaved?

    private struct Unsaved {
        var value: Value
        /// What the changes were made to; nil where the value is meant to replace whatever there is.
        let base: Value?
    }

    init(_ file: JSONDocumentFile<Value>, initial: Value) {
        self.file = file
        self.initial = initial
    }

    /// Whether everything is in the file.
    var isSaved: Bool { unsaved == nil }

    /// Whether nothing stands in the file's place.
    var isMissing: Bool {
        if case .missing = try? file.contents() { true } else { false }
    }

    /// Waits until nobody else changes the file. What needs the lock takes the result, also a failure to get it.
    nonisolated(nonsending) func lock() async -> Lock { await file.lock() }

    /// What is stored now; nil where the lock is needed to tell, because something is still to be written or the file is corrupt.
    /// Creates nothing where nothing is stored.
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

    /// What is stored now, with what could not be written before; tries to write that again, and sets a corrupt file aside.
    mutating func load(_ lock: Lock) -> Value {
        if unsaved != nil, let value = try? write(lock, { _ in }) { return value }
        do {
            _ = try lock.get()
            // Looked at again under the lock: another process may have written a good one meanwhile.
            let value = try file.valueSettingCorruptAside() ?? initial
            known = value
            return current(stored: value)
        } catch {
            // Reported already where something could not be written.
            if unsaved == nil { report(error, "could not be read") }
            return unsaved?.value ?? known ?? initial
        }
    }

    mutating func replace(with value: Value, _ lock: Lock) {
        let file = file
        store(value, lock) { try file.write(value) }
    }

    /// Reads, changes and writes as one step; the transform runs once, whatever fails.
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

    /// Remembers what could not be written.
    /// - Parameter changed: What came of the transform; nil where it has not run.
    private mutating func keep(changed: Value?, _ transform: (inout Value) -> Void) -> Value {
        let replacesAll = unsaved.map { $0.base == nil } ?? false
        var value = unsaved?.value ?? known ?? initial
        var base = unsaved?.base ?? known ?? initial
        if let changed {
            // What others had changed by then is no change of ours.
            value = changed
            base = known ?? initial
        } else {
            transform(&value)
        }
        unsaved = Unsaved(value: value, base: replacesAll ? nil : base)
        return value
    }

    /// Changes what is stored, with what could not be written before, and writes it.
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

    /// What is stored, with what could not be written before.
    private func current(stored: Value) -> Value {
        unsaved.map { stored.merging($0.value, since: $0.base) } ?? stored
    }

    /// Goes back to the initial value by removing the file. Creates nothing where nothing is stored.
    ///
    /// - Parameter lock: Nil where the file ``isMissing``.
    mutating func remove(_ lock: Lock?) {
        guard let lock else {
            known = initial
            unsaved = nil
            return
        }
        let file = file
        store(initial, lock) { try file.remove() }
    }

    /// Removes the file without its lock, which may be what fails.
    /// - Returns: whether it is gone.
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
