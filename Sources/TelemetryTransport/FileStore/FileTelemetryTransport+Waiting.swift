import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    /// Repeats `attempt`, at growing intervals, while a lock is held elsewhere.
    ///
    /// The timeout counts requested sleep, not elapsed time: on a busy machine the holder of the lock is slow as well. Nothing is
    /// locked while this waits. If no descriptors are left, the files that are kept open are closed, and `attempt` is repeated
    /// once; if the directory was lost, it is created again, once.
    func whenUnlocked<Result>(_ what: String, _ attempt: () throws -> Result?) async throws -> Result {
        var waited = Duration.zero
        var delay = Duration.microseconds(50)
        var mayRepair = true
        while true {
            do {
                if let result = try attempt() { return result }
            } catch let error as FileError {
                guard mayRepair, error.isNotFound || error.isOutOfDescriptors else { throw error.transportError }
                mayRepair = false
                closeFiles()
                if error.isNotFound { try restore() }
                continue
            }
            guard waited < configuration.lockTimeout else {
                throw TelemetryTransportError(
                    code: .unavailable, message: "Another process has kept \(what) locked for \(configuration.lockTimeout).")
            }
            try await system.clock.sleep(for: delay)
            waited += delay
            delay = min(delay * 2, .milliseconds(10))
        }
    }

    /// Creates missing directories again.
    func restore() throws {
        do {
            adopt(storeID: try StoreFormat(layout: layout, system: system).prepare())
        } catch {
            // The directory was a store and may be one again later.
            guard error.code == .invalidArgument || error.code == .corrupted else { throw error }
            throw TelemetryTransportError(code: .unavailable, message: "The store was removed. \(error.message)", cause: error)
        }
        try journal.prepare()
    }

    /// Continues with the store that is now in the directory.
    func adopt(storeID id: String) {
        guard id != storeID else { return }
        report(.unexpectedInput, "\(layout.directory) was replaced by another store; existing cursors start at its beginning.")
        formerStoreIDs.insert(storeID)
        storeID = id
        journal.storeID = id
    }

    /// Runs a read operation. If no descriptors are left, closes the files that are kept open, and repeats it once.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            guard error.isOutOfDescriptors else { throw error.transportError }
            closeFiles()
            do { return try body() } catch let error as FileError { throw error.transportError }
        }
    }
}

extension FileError {
    /// The equivalent error of a transport.
    var transportError: TelemetryTransportError {
        let code: TelemetryTransportError.Code =
            if isOutOfSpace {
                .quotaExceeded
            } else if isDenied {
                .unauthorized
            } else {
                isNameTooLong ? .invalidArgument : .unavailable
            }
        return TelemetryTransportError(code: code, message: "The store could not \(description).", cause: self)
    }
}
