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

    mutating func load() -> TelemetryPendingWork { document.load() }

    mutating func current() -> TelemetryPendingWork {
        // Before reading: what changes meanwhile is then seen the next time.
        let stamp = FileStamp(of: "\(Self.name).json", in: directory)
        if let cached, cached.stamp == stamp { return cached.work }
        let work = document.load()
        cached = document.isSaved && stamp.isSettled(at: Date()) ? (work, stamp) : nil
        return work
    }

    mutating func update(_ transform: (inout TelemetryPendingWork) -> Void) -> TelemetryPendingWork {
        cached = nil
        return document.change(transform)
    }

    mutating func remove() {
        cached = nil
        document.remove()
    }
}
