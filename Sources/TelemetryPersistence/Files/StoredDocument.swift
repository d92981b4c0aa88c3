import TelemetryModels

/// A value in a file, for stores that never throw: where the file cannot be read or written, they go on from memory.
struct StoredDocument<Value: Codable & Sendable & MergeableDocument> {
    private let file: JSONDocumentFile<Value>
    private let initial: Value
    /// What was last seen in the file; stands in for a file that cannot be read for the moment.
    private var known: Value?
    /// What could not be written yet; newer than the file, of which others may have changed other parts meanwhile.
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

    /// Creates nothing where nothing is stored.
    mutating func load() -> Value {
        if let unsaved { return unsaved.value }
        do {
            let value =
                switch try file.contents() {
                case .missing: initial
                case .found(let value): value
                // Looked at again under the lock: another process may have written a good one meanwhile.
                case .corrupt: try file.exclusively { try file.valueSettingCorruptAside() } ?? initial
                }
            known = value
            return value
        } catch {
            report(error, "could not be read")
            return known ?? initial
        }
    }

    mutating func replace(with value: Value) {
        let file = file
        store(value) { try file.exclusively { try file.write(value) } }
    }

    /// Reads, changes and writes as one step; the transform runs once, whatever fails.
    mutating func change(_ transform: (inout Value) -> Void) -> Value {
        var changed: (value: Value, stored: Value)?
        do {
            let value = try file.exclusively {
                let stored = try file.valueSettingCorruptAside()
                var value = current(stored: stored ?? initial)
                transform(&value)
                changed = (value, stored ?? initial)
                try file.write(value, unlessSameAs: stored)
                return value
            }
            known = value
            unsaved = nil
            return value
        } catch {
            report(error, "could not be changed")
            var base = known ?? initial
            var value = unsaved?.value ?? base
            if let changed {
                // What others had changed by then is no change of ours.
                (value, base) = changed
                known = changed.stored
            } else {
                transform(&value)
                base = unsaved?.base ?? base
            }
            let replacesAll = unsaved.map { $0.base == nil } ?? false
            unsaved = Unsaved(value: value, base: replacesAll ? nil : base)
            return value
        }
    }

    /// What is stored, with what could not be written before.
    private func current(stored: Value) -> Value {
        guard let unsaved else { return stored }
        return unsaved.base.map { stored.merging(unsaved.value, since: $0) } ?? unsaved.value
    }

    /// Goes back to the initial value by removing the file. Creates nothing where nothing is stored.
    mutating func remove() {
        let file = file
        store(initial) {
            if case .missing = try file.contents() { return }
            try file.exclusively { _ = try PrivateFile.remove(file.path) }
        }
    }

    private mutating func store(_ value: Value, _ body: () throws -> Void) {
        do {
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
