#if DEBUG
public import Foundation

extension DebugLogger {
    /// Who logs, where to, and how eagerly.
    public struct Configuration: Sendable {
        /// What stands in every entry as its source.
        public var source: DebugLogEntry.Source
        /// What stands in every entry as its device.
        public var deviceId: UUID?
        /// What stands in every entry as its session: this run of the program.
        public var sessionId: UUID
        /// So many waiting entries are sent at once, and no more in one batch; at least 1.
        public var batchSize: Int
        /// So long an entry waits at most for others to be sent with.
        public var interval: Duration
        /// So many entries are kept while they cannot be sent; then the oldest go, counted. At least 1.
        public var capacity: Int
        /// About so many bytes of waiting entries are sent at once, and no more in one batch, unless a single entry has more.
        public var batchByteSize: Int
        /// About so many bytes of entries are kept while they cannot be sent; then the oldest go, counted. An entry that alone
        /// has more is not kept.
        public var byteCapacity: Int

        /// The sizes in bytes default to 512 KiB and 8 MiB.
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

        /// An entry of whoever logs.
        func entry(
            _ event: String, _ level: DebugLogEntry.Level, _ payload: [String: DebugLogEntry.Value], correlationId: UUID? = nil,
            at timestamp: Date
        ) -> DebugLogEntry {
            DebugLogEntry(
                correlationId: correlationId ?? UUID(), timestamp: timestamp, source: source, level: level, event: event,
                payload: payload, deviceId: deviceId, sessionId: sessionId)
        }
    }

    /// The server that ``shared`` sends to unless it is told another: `TELEMETRY_DEBUG_URL` in the environment, or the relay's
    /// usual address on this machine, `http://127.0.0.1:8377`.
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
