import Foundation
import TelemetryModels

/// Pending work in a file `pending-work.json`, which the file stores of pending work and of settings share.
struct PendingWorkDocument {
    private static let name = "pending-work"

    private var document: StoredDocument<TelemetryPendingWork>
    private let directory: URL
    /// What was read last, as long as nothing was changed since.
    private var cached: (work: TelemetryPendingWork, stamp: FileStamp)?

    init(directory: URL, diagnostics: TelemetryDiagnosticsHandler?) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: Self.name, diagnostics: diagnostics), initial: TelemetryPendingWork())
        self.directory = directory
    }

    /// Whether everything is in the file.
    var isSaved: Bool { document.isSaved }

    /// Waits until nobody else changes the file. What needs the lock takes the result, also a failure to get it.
    nonisolated(nonsending) func lock() async -> StoredDocument<TelemetryPendingWork>.Lock { await document.lock() }

    /// Whether nothing stands in the file's place; then nothing has to be locked to remove it.
    var isMissing: Bool { document.isMissing }

    /// What is stored; nil where the lock is needed to tell.
    mutating func loadUnlocked() -> TelemetryPendingWork? { document.loadUnlocked() }

    mutating func load(_ lock: StoredDocument<TelemetryPendingWork>.Lock) -> TelemetryPendingWork { document.load(lock) }

    /// What is stored, from memory where the file has not changed since; nil where the lock is needed to tell.
    mutating func current() -> TelemetryPendingWork? {
        // Before reading: what changes meanwhile is then seen the next time.
        let stamp = FileStamp(of: "\(Self.name).json", in: directory)
        if let cached, cached.stamp == stamp { return cached.work }
        guard let work = document.loadUnlocked() else { return nil }
        cached = stamp.isSettled(at: Date()) ? (work, stamp) : nil
        return work
    }

    mutating func update(
        _ lock: StoredDocument<TelemetryPendingWork>.Lock, _ transform: (inout TelemetryPendingWork) -> Void
    ) -> TelemetryPendingWork {
        cached = nil
        return document.change(lock, transform)
    }

    mutating func remove(_ lock: StoredDocument<TelemetryPendingWork>.Lock?) {
        cached = nil
        document.remove(lock)
    }
}
