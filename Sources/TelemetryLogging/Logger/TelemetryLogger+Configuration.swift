public import Foundation
public import TelemetryModels

extension TelemetryLogger {
    /// How a logger gathers, keeps and delivers events. Values outside a setting's range count as the nearest one inside it.
    public struct Configuration: Sendable {
        /// The most events that one append carries.
        public static let maximumBatchSize = 400

        /// So many waiting events start a delivery; at least 1. A delivery takes everything that waits.
        public var batchSize: Int
        /// The longest time, in seconds, that an event waits for a delivery to start; more than 0.
        public var flushInterval: TimeInterval
        /// How often a failed append is tried again before its events wait for the next interval; they are not dropped for it.
        public var maxRetries: Int
        /// A directory of the logger's own, where events outlive the process; nil keeps them in memory. It may be shared by
        /// several loggers and processes. Nothing is made there before telemetry is on, and turning it off empties it.
        public var spoolDirectory: URL?
        /// How much may wait in the directory, and for how long.
        public var spool: SpoolBounds
        /// The most bytes of events that wait in memory: before activation, and where there is no directory.
        public var memoryLimit: Int
        /// The most bytes of UTF-8 in an event's name, a scenario's or an attribute's; longer ones are cut and end in "…".
        public var maximumNameBytes: Int
        /// The most bytes of UTF-8 in `property1` or an attribute's text; longer ones are cut and end in "…".
        public var maximumPropertyBytes: Int
        /// The most bytes, roughly as they are sent, that one append carries, unless a single event is larger.
        public var maximumBatchBytes: Int
        /// How long ``TelemetryLogger/shutdown()`` delivers, and how long turning telemetry off waits for an append under way,
        /// in seconds on the logger's clock.
        public var shutdownDeadline: TimeInterval
        /// Sees each event before it is kept, on the thread that logs it, and may change it; returning false refuses it. Who
        /// the event is (identifiers, session, sequence, device) is the logger's to say: changes of these are ignored.
        public var process: (@Sendable (inout TelemetryEvent) -> Bool)?
        /// Hears of what was odd: failed appends, files that could not be used, dropped events.
        public var diagnostics: TelemetryDiagnosticsHandler?

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            batchSize: Int = 10, flushInterval: TimeInterval = 30, maxRetries: Int = 3, spoolDirectory: URL? = nil,
            spool: SpoolBounds = SpoolBounds(), memoryLimit: Int = 4 << 20, maximumNameBytes: Int = 1_024,
            maximumPropertyBytes: Int = 64 << 10, maximumBatchBytes: Int = 1 << 20, shutdownDeadline: TimeInterval = 5,
            process: (@Sendable (inout TelemetryEvent) -> Bool)? = nil, diagnostics: TelemetryDiagnosticsHandler? = nil
        ) {
            self.batchSize = batchSize
            self.flushInterval = flushInterval
            self.maxRetries = maxRetries
            self.spoolDirectory = spoolDirectory
            self.spool = spool
            self.memoryLimit = memoryLimit
            self.maximumNameBytes = maximumNameBytes
            self.maximumPropertyBytes = maximumPropertyBytes
            self.maximumBatchBytes = maximumBatchBytes
            self.shutdownDeadline = shutdownDeadline
            self.process = process
            self.diagnostics = diagnostics
        }

        /// Ten events or thirty seconds, three retries, in memory.
        public static let `default` = Configuration()
    }

    /// How much may wait for delivery on disk, and for how long; beyond it the oldest events go first, counted.
    public struct SpoolBounds: Sendable, Hashable {
        /// In bytes, over all files of the directory; 16 MiB unless set.
        public var maximumBytes: Int
        /// In seconds.
        public var maximumAge: TimeInterval

        /// Creates bounds; the parameters are the properties of the same names.
        public init(maximumBytes: Int = 16 << 20, maximumAge: TimeInterval = 7 * 86_400) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }
    }
}

extension TelemetryLogger.Configuration {
    /// The same with every value in its range.
    var clamped: Self {
        var copy = self
        copy.batchSize = max(batchSize, 1)
        copy.flushInterval = Self.seconds(flushInterval, atLeast: 0.001)
        copy.maxRetries = min(max(maxRetries, 0), 1_000)
        copy.spool.maximumBytes = Self.bytes(spool.maximumBytes)
        copy.spool.maximumAge = Self.seconds(spool.maximumAge, atLeast: 0)
        copy.memoryLimit = Self.bytes(memoryLimit)
        copy.maximumNameBytes = min(max(maximumNameBytes, 16), 16 << 10)
        copy.maximumPropertyBytes = min(max(maximumPropertyBytes, 16), 1 << 20)
        copy.maximumBatchBytes = max(maximumBatchBytes, 1)
        copy.shutdownDeadline = Self.seconds(shutdownDeadline, atLeast: 0)
        return copy
    }

    /// Half of what a number can be stands for anything larger, so that two of them can be added.
    private static func bytes(_ value: Int) -> Int { min(max(value, 8 * CaptureSegment.minimumBytes), .max / 2) }

    /// A hundred years stand for anything longer, also for what is not a number.
    private static func seconds(_ value: TimeInterval, atLeast least: TimeInterval) -> TimeInterval {
        value.isNaN ? 100 * 365 * 86_400 : min(max(value, least), 100 * 365 * 86_400)
    }
}
