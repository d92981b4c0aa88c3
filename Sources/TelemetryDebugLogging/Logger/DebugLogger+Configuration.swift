#if DEBUG
public import Foundation

extension DebugLogger {
    /// The identity of a debug logger, and its batch and buffer sizes.
    public struct Configuration: Sendable {
        /// The source of every entry.
        public var source: DebugLogEntry.Source
        /// The device of every entry.
        public var deviceId: UUID?
        /// The session of every entry: this run of the program.
        public var sessionId: UUID
        /// The number of waiting entries at which a batch is sent, and the maximum number in a batch; at least 1.
        public var batchSize: Int
        /// The maximum time that an entry waits for others before it is sent.
        public var interval: Duration
        /// The maximum number of entries kept while they cannot be sent; beyond it, the oldest are dropped and counted. At least
        /// 1.
        public var capacity: Int
        /// The approximate size of waiting entries at which a batch is sent, and the maximum size of a batch, in bytes. A single
        /// larger entry is sent alone.
        public var batchByteSize: Int
        /// The approximate maximum size of entries kept while they cannot be sent, in bytes; beyond it, the oldest are dropped
        /// and counted. A single larger entry is not kept.
        public var byteCapacity: Int

        /// Creates a configuration. The sizes in bytes default to 512 KiB and 8 MiB.
        public init(
            source: DebugLogEntry.Source = .current, deviceId: UUID? = nil, sessionId: UUID = UUID(), batchSize: Int = 50,
            interval: Duration = .seconds(30), capacity: Int = 1000, batchByteSize: Int = 512 << 10,
            byteCapacity: Int = 8 << 20
        ) {
            self.source = source
            self.deviceId = deviceId
            self.sessionId = sessionId
            self.batchSize = batchSize
            self.interval = interval
            self.capacity = capacity
            self.batchByteSize = batchByteSize
            self.byteCapacity = byteCapacity
        }

        var bounds: DebugLogBuffer.Bounds {
            .init(count: capacity, size: byteCapacity, batchCount: batchSize, batchSize: batchByteSize)
        }

        /// Creates an entry with this configuration's identity.
        func entry(
            _ event: String, _ level: DebugLogEntry.Level, _ payload: [String: DebugLogEntry.Value], correlationId: UUID? = nil,
            at timestamp: Date
        ) -> DebugLogEntry {
            DebugLogEntry(
                correlationId: correlationId ?? UUID(), timestamp: timestamp, source: source, level: level, event: event,
                payload: payload, deviceId: deviceId, sessionId: sessionId)
        }
    }

    /// The default server of ``shared``: `TELEMETRY_DEBUG_URL` in the environment, or the relay's default address on this
    /// machine, `http://127.0.0.1:8377`.
    public nonisolated static var defaultBaseURL: URL {
        var relay = URLComponents()
        relay.scheme = "http"
        relay.host = "127.0.0.1"
        relay.port = 8377
        let set = ProcessInfo.processInfo.environment["TELEMETRY_DEBUG_URL"].flatMap(URL.init(string:))
        return set ?? relay.url ?? URL(filePath: "/")
    }
}
#endif
