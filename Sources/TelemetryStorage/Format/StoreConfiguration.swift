package import TelemetryModels

/// The limits, timeouts and durability of a file store's engine.
package struct StoreConfiguration: Sendable {
    /// Whether data is on the disk before a call returns; otherwise it survives the process, but not a power failure.
    package var isDurable: Bool
    /// The most bytes of events of one client; nil: no bound.
    package var bytesPerClient: Int?
    /// The most bytes of events of all clients; nil: no bound.
    package var maximumTotalBytes: Int?
    /// The longest that events are kept after their segment was last written to; nil: no bound.
    package var age: Duration?
    /// The size in bytes at which a segment is followed by a new one.
    package var segmentBytes: Int
    /// The size in bytes at which a journal file is followed by a new one.
    package var journalBytes: Int
    /// The most bytes that one event may take.
    package var maximumEventBytes: Int
    /// The interval between checks for changes where the system does not report them.
    package var pollInterval: Duration
    /// How long to wait for a lock that another process holds.
    package var lockTimeout: Duration
    /// Receives diagnostics, such as quarantined files.
    package var diagnostics: TelemetryDiagnosticsHandler?

    package init(
        isDurable: Bool, bytesPerClient: Int?, maximumTotalBytes: Int?, age: Duration?, segmentBytes: Int, journalBytes: Int,
        maximumEventBytes: Int, pollInterval: Duration, lockTimeout: Duration, diagnostics: TelemetryDiagnosticsHandler?
    ) {
        self.isDurable = isDurable
        self.bytesPerClient = bytesPerClient
        self.maximumTotalBytes = maximumTotalBytes
        self.age = age
        self.segmentBytes = segmentBytes
        self.journalBytes = journalBytes
        self.maximumEventBytes = maximumEventBytes
        self.pollInterval = pollInterval
        self.lockTimeout = lockTimeout
        self.diagnostics = diagnostics
    }

    /// The most bytes stored for one event; readers would treat a longer line as damaged.
    package var effectiveEventBytes: Int { min(maximumEventBytes, FileLimits.line) }

    /// The size at which a new segment begins: small enough to keep a byte limit to within an eighth.
    package var effectiveSegmentBytes: UInt64 {
        let bounds = [bytesPerClient, maximumTotalBytes].compactMap { $0.map { $0 / 8 } }
        return UInt64(max(([segmentBytes] + bounds).min() ?? segmentBytes, 1))
    }
}
