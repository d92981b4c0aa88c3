import TelemetryHTTP
import TelemetryModels
public import TelemetryTransport

/// Reads a store's events page by page.
public struct EventReader: Sendable {
    private static let pageSize = 2_000

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter

    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter) {
        self.transport = transport
        self.filter = filter
    }

    /// Passes the events after the cursor to the handler, oldest first. If `following` is true, it then passes new events until
    /// the task is cancelled or the handler returns false.
    /// - Returns: The cursor of the last page that was passed to the handler.
    @discardableResult
    public func read(
        after start: TelemetryCursor?, following: Bool, isolation: isolated (any Actor)? = #isolation,
        handle: (TelemetryEventPage) async throws -> Bool
    ) async throws -> TelemetryCursor? {
        var cursor = start
        var failures = 0
        while true {
            let pages = transport.eventPages(matching: filter, after: cursor, limit: Self.pageSize)
            do {
                for try await page in pages {
                    cursor = page.cursor
                    failures = 0
                    guard try await handle(page), following || page.hasMore else { return cursor }
                }
                return cursor
            } catch let error as TelemetryTransportError where canRetry(error, following, cursor) {
                failures += 1
                try await Task.sleep(for: Self.delay(after: error, failures: failures))
            }
        }
    }

    /// Whether to retry: a relay that was reachable before may be restarting.
    private func canRetry(_ error: TelemetryTransportError, _ following: Bool, _ cursor: TelemetryCursor?) -> Bool {
        following && error.isRetryable && cursor != nil && transport is HTTPTelemetryTransport
    }

    /// How long to wait after this number of failures in succession, of which the error is the last.
    public static func delay(after error: TelemetryTransportError, failures: Int) -> Duration {
        error.retryAfter ?? delay(failures, random: .random(in: 0..<1))
    }

    /// A random delay of at most 32 seconds, so that viewers do not reconnect at the same time.
    static func delay(_ failures: Int, random: Double) -> Duration {
        .milliseconds(Int64(500 * Double(1 << min(failures - 1, 6)) * (0.5 + random / 2)))
    }
}
