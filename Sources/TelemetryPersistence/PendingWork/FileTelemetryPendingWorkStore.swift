public import Foundation
public import TelemetryModels

/// Pending work in a file `pending-work.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is created by the first change, accessible to its owner only. An invalid file is moved to
/// `pending-work.corrupt.json` and reported. Changes that cannot be written are kept in memory as long as the store exists, and
/// merged onto the stored value once it can be written.
public actor FileTelemetryPendingWorkStore: TelemetryPendingWorkStoring {
    private var document: PendingWorkDocument

    /// - Parameters:
    ///   - directory: The file's directory, which may be the settings' directory.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = PendingWorkDocument(directory: directory, diagnostics: diagnostics)
    }

    /// Returns the stored work; empty if there is none.
    public func loadPendingWork() async -> TelemetryPendingWork {
        if let work = document.loadUnlocked() { return work }
        return document.load(await document.lock())
    }

    public func currentPendingWork() async -> TelemetryPendingWork {
        if let work = document.current() { return work }
        return document.load(await document.lock())
    }

    public var isPendingWorkSaved: Bool { document.isSaved }

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

/// Keeps the pending work in the settings' directory.
extension FileTelemetrySettingsStore: TelemetryPendingWorkStoring {
    /// Returns the pending work in `pending-work.json`, next to the settings; empty if there is none.
    public func loadPendingWork() async -> TelemetryPendingWork {
        if let work = pendingWork.loadUnlocked() { return work }
        return pendingWork.load(await pendingWork.lock())
    }

    public func currentPendingWork() async -> TelemetryPendingWork {
        if let work = pendingWork.current() { return work }
        return pendingWork.load(await pendingWork.lock())
    }

    public var isPendingWorkSaved: Bool { pendingWork.isSaved }

    /// Changes the pending work next to the settings atomically across processes and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        let lock = await pendingWork.lock()
        return pendingWork.update(lock, transform)
    }

    /// Removes the pending work and keeps the settings.
    public func removePendingWork() async { pendingWork.remove(pendingWork.isMissing ? nil : await pendingWork.lock()) }
}
