public import Foundation
public import TelemetryModels

extension TelemetryLogger {
    /// The settings of a logger. A value outside its range is replaced by the nearest value in the range.
    public struct Configuration: Sendable {
        /// The maximum number of events that one append carries.
        public static let maximumBatchSize = 400

        /// The number of waiting events that starts a delivery; at least 1. A delivery sends all waiting events.
        public var batchSize: Int
        /// The longest time, in seconds, that an event waits for a delivery to start; more than 0.
        public var flushInterval: TimeInterval
        /// How often a failed append is retried before its events wait for the next interval. They are not dropped.
        public var maxRetries: Int
        /// A directory only for loggers, in which events are kept after the process ends; nil keeps them in memory. Several
        /// loggers and processes may share it. Before telemetry is on, at most the secret of pseudonyms is read; turning it off empties the directory.
        public var spoolDirectory: URL?
        /// The limits of waiting events in the directory.
        public var spool: SpoolBounds
        /// The maximum number of bytes of events that wait in memory: before activation, and without a directory.
        public var memoryLimit: Int
        /// The maximum number of bytes of UTF-8 in an event's name, a scenario's or an attribute's; longer ones are truncated and end in "…".
        public var maximumNameBytes: Int
        /// The maximum number of bytes of UTF-8 in `property1` or an attribute's text; longer ones are truncated and end in "…".
        public var maximumPropertyBytes: Int
        /// The maximum number of bytes, roughly as they are sent, that one append carries, unless a single event is larger.
        public var maximumBatchBytes: Int
        /// The longest time that ``TelemetryLogger/shutdown()`` delivers events, and that turning telemetry off waits for an
        /// append in progress, in seconds on the logger's clock.
        public var shutdownDeadline: TimeInterval
        /// The limits of the flight recorder, which a policy turns on for some scenarios.
        public var recorder: RecorderBounds
        /// Whether the signals SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE and SIGABRT are recorded while telemetry is on, so that the next start
        /// reports which one ended the process. Needs a spool directory.
        ///
        /// The handlers stay installed for as long as the process runs, and pass each signal on to the handler that was there before. A
        /// signal that the host ignores is not recorded, nor is the overflow of a thread's stack that has no alternate one. At most four
        /// loggers of a process record signals.
        public var recordsSignals: Bool
        /// What is removed from events before `process` receives them. In the report of an ended session only the patterns apply, to its
        /// backtrace.
        public var redaction: TelemetryRedaction
        /// Called with each event on the thread that logs it, and may change the event; returning false refuses it. Changes of
        /// identifiers, session, sequence and device are ignored. It does not receive the logger's own events: reports of losses, budgets
        /// and ended sessions.
        public var process: (@Sendable (inout TelemetryEvent) -> Bool)?
        /// Receives diagnostics: failed appends, unusable files, dropped events.
        public var diagnostics: TelemetryDiagnosticsHandler?
        /// The calendar, with its time zone, of the days for which deliveries are counted.
        package var calendar = Calendar.autoupdatingCurrent

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            batchSize: Int = 10, flushInterval: TimeInterval = 30, maxRetries: Int = 3, spoolDirectory: URL? = nil,
            spool: SpoolBounds = SpoolBounds(), memoryLimit: Int = 4 << 20, maximumNameBytes: Int = 1_024,
            maximumPropertyBytes: Int = 64 << 10, maximumBatchBytes: Int = 1 << 20, shutdownDeadline: TimeInterval = 5,
            process: (@Sendable (inout TelemetryEvent) -> Bool)? = nil, diagnostics: TelemetryDiagnosticsHandler? = nil,
            recorder: RecorderBounds = RecorderBounds(), recordsSignals: Bool = false,
            redaction: TelemetryRedaction = .none
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
            self.recorder = recorder
            self.recordsSignals = recordsSignals
            self.redaction = redaction
        }

        /// Delivery after ten events or thirty seconds, three retries, events in memory.
        public static let `default` = Configuration()
    }

    /// The limits of events that wait on disk. Beyond them the oldest events are dropped and counted.
    public struct SpoolBounds: Sendable, Hashable {
        /// The maximum number of bytes of all files in the directory; 16 MiB by default.
        public var maximumBytes: Int
        /// The longest time that an event waits, in seconds; 7 days by default.
        public var maximumAge: TimeInterval

        /// Creates bounds; the parameters are the properties of the same names.
        public init(maximumBytes: Int = 16 << 20, maximumAge: TimeInterval = 7 * 86_400) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }
    }
}

extension TelemetryLogger.Configuration {
    /// The configuration with every value in its range.
    var clamped: Self {
        var copy = self
        copy.batchSize = max(batchSize, 1)
        copy.flushInterval = Self.seconds(flushInterval, atLeast: 0.001)
        copy.maxRetries = min(max(maxRetries, 0), 1_000)
        copy.spool.maximumBytes = Self.bytes(spool.maximumBytes)
        copy.spool.maximumAge = Self.seconds(spool.maximumAge, atLeast: 0)
        copy.recorder.maximumBytes = min(max(recorder.maximumBytes, 16 << 10), Self.maximumRecorderBytes)
        copy.recorder.maximumAge = Self.seconds(recorder.maximumAge, atLeast: 0)
        copy.memoryLimit = Self.bytes(memoryLimit)
        copy.maximumNameBytes = min(max(maximumNameBytes, 16), 16 << 10)
        copy.maximumPropertyBytes = min(max(maximumPropertyBytes, 16), 1 << 20)
        copy.maximumBatchBytes = max(maximumBatchBytes, 1)
        copy.shutdownDeadline = Self.seconds(shutdownDeadline, atLeast: 0)
        return copy
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }

    /// The maximum number of bytes of a recorded scenario's events.
    static let maximumRecorderBytes = 64 << 20

    /// Values are at most half of `Int.max`, so that two of them can be added.
    private static func bytes(_ value: Int) -> Int { min(max(value, 8 * CaptureSegment.minimumBytes), .max / 2) }

    /// Durations are at most a hundred years; NaN counts as that.
    private static func seconds(_ value: TimeInterval, atLeast least: TimeInterval) -> TimeInterval {
        value.isNaN ? 100 * 365 * 86_400 : min(max(value, least), 100 * 365 * 86_400)
    }
}

extension TelemetryLogger {
    /// The limits of the flight recorder, for each recorded scenario. Beyond them the oldest events are dropped; they are not
    /// counted.
    public struct RecorderBounds: Sendable, Hashable {
        /// The maximum number of bytes of a scenario's events: from 16 KiB to 64 MiB, 1 MiB by default. An event of more than a quarter of it, or
        /// of more than a segment of the logger's memory has room for, is not kept.
        public var maximumBytes: Int
        /// The greatest age of an event that is captured, in seconds; 5 minutes by default. If a policy captures after a crash, it counts
        /// back from the end of the process.
        public var maximumAge: TimeInterval

        /// Creates bounds; the parameters are the properties of the same names.
        public init(maximumBytes: Int = 1 << 20, maximumAge: TimeInterval = 300) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }
    }
}

extension TelemetryLogger {
    /// Why an event was dropped.
    public enum DropCause: String, Sendable, Hashable, CaseIterable {
        /// The limit of waiting events was exceeded; the oldest ones are dropped.
        case full
        /// The event waited for too long.
        case expired
        /// The event was too large to store.
        case oversized
        /// The transport rejected the event permanently, in an append of its own.
        case rejected
        /// `Configuration.process` refused the event.
        case refused
        /// Telemetry was turned off before the event was sent.
        case disabled
        /// The stored event could not be read.
        case corrupt
        /// The event was left in the spool by another client.
        case otherClient
    }

    /// Counts of events since the logger was created.
    public struct Statistics: Sendable, Hashable {
        /// Events that this process accepted.
        public internal(set) var logged: UInt64 = 0
        /// Events recovered from sessions that ended before their events were delivered.
        public internal(set) var recovered: UInt64 = 0
        /// Events that the transport accepted.
        public internal(set) var delivered: UInt64 = 0
        /// Events that wait for delivery.
        public internal(set) var waiting: UInt64 = 0
        /// Events that were dropped, by cause.
        public internal(set) var dropped: [DropCause: UInt64] = [:]
        /// Appends that were retried.
        public internal(set) var retries: UInt64 = 0

        /// Creates statistics in which every count is zero.
        public init() {}
    }
}

extension TelemetryLogger.DropCause {
    /// Whether the stream reports it. Events that the user or the host refused are not losses.
    var isLoss: Bool { self != .refused && self != .disabled }
}
