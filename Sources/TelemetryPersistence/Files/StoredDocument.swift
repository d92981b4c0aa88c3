import TelemetryModels

/// A value in a file, for stores that never throw: where the file cannot be read or written, they go on from memory.
struct StoredDocument<Value: Codable & Sendable> {
    private let file: JSONDocumentFile<Value>
    private let initial: Value
    /// What was last seen in the file; stands in for a file that cannot be read for the moment.
    private var known: Value?
    /// What could not be written yet; newer than the file.
    private var unsaved: Value?

    init(_ file: JSONDocumentFile<Value>, initial: Value) {
        self.file = file
        self.initial = initial
    }

    /// Creates nothing where nothing is stored.
    mutating func load() -> Value {
        if let unsaved { return unsaved }
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
        var changed: Value?
        do {
            let value = try file.exclusively {
                let stored = try file.valueSettingCorruptAside()
                var value = unsaved ?? stored ?? initial
                transform(&value)
                changed = value
                try file.write(value, unlessSameAs: stored)
                return value
            }
            known = value
            unsaved = nil
            return value
        } catch {
            report(error, "could not be changed")
            var value = unsaved ?? known ?? initial
            if let changed { value = changed } else { transform(&value) }
            unsaved = value
            return value
        }
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
            unsaved = value
        }
    }

    private func report(_ error: any Error, _ what: String) {
        file.diagnostics?(TelemetryDiagnostic(kind: .storageFailed, message: "\(file.path) \(what): \(error)"))
    }
}
