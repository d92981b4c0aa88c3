import Foundation
import TelemetryModels

/// Pending work in a file `pending-work.json`. Used by the file stores of pending work and of settings.
struct PendingWorkDocument {
    private static let name = "pending-work"

    private var document: StoredDocument<TelemetryPendingWork>
    private let directory: URL
    /// The last read value; nil if it was changed since.
    private var cached: (work: TelemetryPendingWork, stamp: DocumentStamp)?

    init(directory: URL, diagnostics: TelemetryDiagnosticsHandler?) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: Self.name, diagnostics: diagnostics), initial: TelemetryPendingWork())
        self.directory = directory
    }

    /// Whether all changes are written.
    var isSaved: Bool { document.isSaved }

    /// Waits for the lock. Pass the result, even a failure, to the methods that need the lock.
    nonisolated(nonsending) func lock() async -> StoredDocument<TelemetryPendingWork>.Lock { await document.lock() }

    /// Whether the file does not exist; then removing it needs no lock.
    var isMissing: Bool { document.isMissing }

    /// Returns the stored work; nil if that requires the lock.
    mutating func loadUnlocked() -> TelemetryPendingWork? { document.loadUnlocked() }

    mutating func load(_ lock: StoredDocument<TelemetryPendingWork>.Lock) -> TelemetryPendingWork { document.load(lock) }

    /// Returns the stored work, from memory if the file has not changed; nil if that requires the lock.
    mutating func current() -> TelemetryPendingWork? {
        // Before reading, so that the next call sees a change made meanwhile.
        let stamp = DocumentStamp(of: "\(Self.name).json", in: directory)
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
