public import Foundation
public import TelemetryModels

/// Pending work in a file `pending-work.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is made, for its owner alone, when something is stored for the first time. A file that cannot be read as
/// pending work is moved to `pending-work.corrupt.json` and reported. What cannot be written is kept in memory, as long as the
/// store lives, merged onto what is stored and written as soon as that is possible.
public actor FileTelemetryPendingWorkStore: TelemetryPendingWorkCaching {
    private var document: PendingWorkDocument

    /// - Parameters:
    ///   - directory: Where the file is, or will be; it may be the settings' directory.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = PendingWorkDocument(directory: directory, diagnostics: diagnostics)
    }

    /// The stored work; empty where there is none.
    public func loadPendingWork() async -> TelemetryPendingWork {
        if let work = document.loadUnlocked() { return work }
        return document.load(await document.lock())
    }

    package func currentPendingWork() async -> TelemetryPendingWork {
        if let work = document.current() { return work }
        return document.load(await document.lock())
    }

    package var isPendingWorkSaved: Bool { document.isSaved }

    /// Changes the stored work under a lock that processes share, and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        let lock = await document.lock()
        return document.update(lock, transform)
    }

    /// Removes the file.
    public func removePendingWork() async { document.remove(document.isMissing ? nil : await document.lock()) }
}

/// The pending work lies in the settings' directory.
extension FileTelemetrySettingsStore: TelemetryPendingWorkCaching {
    /// What is stored in `pending-work.json`, beside the settings; empty where there is none.
    public func loadPendingWork() async -> TelemetryPendingWork {
        if let work = pendingWork.loadUnlocked() { return work }
        return pendingWork.load(await pendingWork.lock())
    }

    package func currentPendingWork() async -> TelemetryPendingWork {
        if let work = pendingWork.current() { return work }
        return pendingWork.load(await pendingWork.lock())
    }

    package var isPendingWorkSaved: Bool { pendingWork.isSaved }

    /// Changes the pending work beside the settings as one step, also between processes, and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        let lock = await pendingWork.lock()
        return pendingWork.update(lock, transform)
    }

    /// Removes the pending work; the settings stay.
    public func removePendingWork() async { pendingWork.remove(pendingWork.isMissing ? nil : await pendingWork.lock()) }
}
