package import TelemetryModels

/// How the engine of a file store works: bounds, waits and what a call that returned survives.
package struct StoreConfiguration: Sendable {
    /// Whether what was stored is on the disk before a call returns; otherwise it survives the process, not a power cut.
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
    /// How often to look for changes where the system does not tell of them.
    package var pollInterval: Duration
    /// How long to wait for a lock that another process holds.
    package var lockTimeout: Duration
    /// Hears of files that were set aside and of whatever else is odd.
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

    /// The most bytes of one event that are stored: what readers take for damage is refused.
    package var effectiveEventBytes: Int { min(maximumEventBytes, FileLimits.line) }

    /// The size at which a segment is followed by another: small enough that a bound of bytes is kept to within an eighth.
    package var effectiveSegmentBytes: UInt64 {
        let bounds = [bytesPerClient, maximumTotalBytes].compactMap { $0.map { $0 / 8 } }
        return UInt64(max(([segmentBytes] + bounds).min() ?? segmentBytes, 1))
    }
}
