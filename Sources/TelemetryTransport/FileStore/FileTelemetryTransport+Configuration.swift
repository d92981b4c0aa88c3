public import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    /// The configuration of a file store. Processes that share a directory may use different ones.
    public struct Configuration: Sendable {
        /// How durable stored data is once `append` or `save` has returned.
        public enum Durability: Sendable, Hashable {
            /// Stored data survives the end of the process, even if it is killed, but may not survive a power failure.
            case process
            /// Stored data is on the disk and survives a power failure.
            case system
        }

        /// The limits of the stored data. Segments that exceed a limit are removed, oldest first. Nil for no limit.
        public struct Retention: Sendable, Hashable {
            /// The maximum size of one client's events, in bytes.
            public var bytesPerClient: Int?
            /// The maximum size of all clients' events, in bytes.
            public var maximumTotalBytes: Int?
            /// How long events are kept after their segment was last written to.
            ///
            /// Changes of the system clock have no effect. Time during which the machine is off counts for at most half of this.
            public var age: Duration?

            /// Creates limits; the parameters are the properties of the same names. Without arguments everything is kept.
            public init(bytesPerClient: Int? = nil, maximumTotalBytes: Int? = nil, age: Duration? = nil) {
                self.bytesPerClient = bytesPerClient
                self.maximumTotalBytes = maximumTotalBytes
                self.age = age
            }

            /// Everything is kept.
            public static let unlimited = Retention()
        }

        /// Which failures stored data survives.
        public var durability: Durability
        /// How much is kept, and for how long.
        public var retention: Retention
        /// The size in bytes at which a segment is followed by a new one.
        public var segmentBytes: Int
        /// The size in bytes at which a journal file is followed by a new one.
        public var journalBytes: Int
        /// The maximum size of one event including its header line, in bytes; a larger one is `.invalidArgument`.
        ///
        /// At most 16 MiB, the length of the longest line that can be read; larger values have the same effect.
        public var maximumEventBytes: Int
        /// The interval between checks for changes if the system does not report them.
        public var pollInterval: Duration
        /// The total time that a call waits between attempts for another process to release a lock before it fails with
        /// `.unavailable`.
        public var lockTimeout: Duration
        /// Receives diagnostics, such as quarantined files.
        public var diagnostics: TelemetryDiagnosticsHandler?

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            durability: Durability = .process, retention: Retention = .unlimited, segmentBytes: Int = 4 << 20,
            journalBytes: Int = 4 << 20, maximumEventBytes: Int = 1 << 20, pollInterval: Duration = .milliseconds(500),
            lockTimeout: Duration = .seconds(10), diagnostics: TelemetryDiagnosticsHandler? = nil
        ) {
            self.durability = durability
            self.retention = retention
            self.segmentBytes = segmentBytes
            self.journalBytes = journalBytes
            self.maximumEventBytes = maximumEventBytes
            self.pollInterval = pollInterval
            self.lockTimeout = lockTimeout
            self.diagnostics = diagnostics
        }

        /// Whether stored data is on the disk before a call returns.
        var isDurable: Bool { durability == .system }

        /// The maximum number of bytes stored for one event; readers would treat a longer line as damaged.
        var effectiveEventBytes: Int { min(maximumEventBytes, FileLines.maximumLineBytes) }

        /// The size at which a new segment begins: small enough to keep a byte limit to within an eighth.
        var effectiveSegmentBytes: UInt64 {
            let bounds = [retention.bytesPerClient, retention.maximumTotalBytes].compactMap { $0.map { $0 / 8 } }
            return UInt64(max(([segmentBytes] + bounds).min() ?? segmentBytes, 1))
        }

        /// Data survives if the process is killed; everything is kept.
        public static let `default` = Configuration()
    }
}
