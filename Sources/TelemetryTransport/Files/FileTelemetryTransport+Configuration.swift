public import TelemetryModels
import TelemetryStorage

extension FileTelemetryTransport {
    /// How a file store works. Processes that share a directory may differ in it.
    public struct Configuration: Sendable {
        /// What `append` and `save` wait for before they return.
        public enum Durability: Sendable, Hashable {
            /// What was stored survives the end of the process, also a violent one, but perhaps not a power cut.
            case process
            /// What was stored is on the disk, and survives a power cut.
            case system
        }

        /// How much is kept. Segments that exceed a limit are removed, oldest first. Nil: no limit.
        public struct Retention: Sendable, Hashable {
            /// The most bytes of events of one client.
            public var bytesPerClient: Int?
            /// The most bytes of events of all clients.
            public var maximumTotalBytes: Int?
            /// The longest that events of a client are kept after their segment was last written to.
            ///
            /// A clock that is set meanwhile changes nothing; the time that the machine was off counts for at most half of this.
            public var age: Duration?

            /// Creates bounds; the parameters are the properties of the same names. Without arguments everything is kept.
            public init(bytesPerClient: Int? = nil, maximumTotalBytes: Int? = nil, age: Duration? = nil) {
                self.bytesPerClient = bytesPerClient
                self.maximumTotalBytes = maximumTotalBytes
                self.age = age
            }

            /// Everything is kept.
            public static let unlimited = Retention()
        }

        /// What a call that returned survives.
        public var durability: Durability
        /// How much is kept, and for how long.
        public var retention: Retention
        /// A segment that has this many bytes is followed by a new one.
        public var segmentBytes: Int
        /// A journal file that has this many bytes is followed by a new one.
        public var journalBytes: Int
        /// The most bytes that one event may take, with the header line above it; a larger one is `.invalidArgument`.
        ///
        /// At most 16 MiB, which is also the longest line that is read: a larger number acts as that one.
        public var maximumEventBytes: Int
        /// The interval between checks for changes where the system does not report them.
        public var pollInterval: Duration
        /// How long to wait, between tries, for another process that holds a lock before the call fails with `.unavailable`.
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

        /// The same for the engine.
        var store: StoreConfiguration {
            StoreConfiguration(
                isDurable: durability == .system, bytesPerClient: retention.bytesPerClient,
                maximumTotalBytes: retention.maximumTotalBytes,
                age: retention.age, segmentBytes: segmentBytes, journalBytes: journalBytes,
                maximumEventBytes: maximumEventBytes, pollInterval: pollInterval, lockTimeout: lockTimeout,
                diagnostics: diagnostics)
        }

        /// Survives a killed process, keeps everything.
        public static let `default` = Configuration()
    }
}
