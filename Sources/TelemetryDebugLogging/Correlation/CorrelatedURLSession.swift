#if DEBUG
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A session that adds a correlation identifier to its requests, and logs the start and the end of each under that identifier.
///
/// The logged values are the method, the URL without query and user, the status, the duration in milliseconds and the number of
/// bytes received; for a failure, the error's domain and code. Bodies, headers and queries are never logged.
public struct CorrelatedURLSession: Sendable {
    private let session: URLSession
    private let logger: DebugLogger
    private let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - session: sends the requests.
    ///   - logger: takes the entries.
    ///   - clock: measures how long requests take.
    public init(
        _ session: URLSession = .shared, logger: DebugLogger = .shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.session = session
        self.logger = logger
        let start = clock.now
        self.elapsed = { start.duration(to: clock.now) }
    }

    /// Sends a request and returns its response, like the session's method of the same name.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await perform(request) { try await session.data(for: $0) }
    }

    /// Sends a GET request to a URL and returns its response.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url))
    }

    /// Sends a request with a body and returns its response.
    public func upload(for request: URLRequest, from body: Data) async throws -> (Data, URLResponse) {
        try await perform(request) { try await session.upload(for: $0, from: body) }
    }

    /// Sends a request through the host's own client, with the identifier and the log entries.
    public func perform<Body: Sendable>(
        _ request: URLRequest, _ send: @Sendable (URLRequest) async throws -> (Body, URLResponse)
    ) async throws -> (Body, URLResponse) {
        var request = request
        let id = request.correlate()
        let start = elapsed()
        await logger.log(event: "http.request", payload: Self.payload(of: request), correlationId: id)
        do {
            let (body, response) = try await send(request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            let level: DebugLogEntry.Level = status >= 500 ? .error : status >= 400 ? .warn : .info
            var payload = Self.payload(of: request)
            payload["status"] = .int(Int64(status))
            payload["duration_ms"] = milliseconds(since: start)
            if let body = body as? Data { payload["bytes"] = .int(Int64(body.count)) }
            await logger.log(event: "http.response", level: level, payload: payload, correlationId: id)
            return (body, response)
        } catch {
            let isCancelled = error is CancellationError || (error as? URLError)?.code == .cancelled
            var payload = Self.payload(of: request)
            payload["duration_ms"] = milliseconds(since: start)
            payload["error"] = .string("\((error as NSError).domain) \((error as NSError).code)")
            await logger.log(
                event: isCancelled ? "http.cancelled" : "http.failure", level: isCancelled ? .info : .error, payload: payload,
                correlationId: id)
            throw error
        }
    }

    private func milliseconds(since start: Duration) -> DebugLogEntry.Value {
        let microseconds = (elapsed() - start) / .microseconds(1)
        return .double(microseconds.rounded() / 1000)
    }

    /// A query may contain a key and a URL a password, so neither is logged.
    private static func payload(of request: URLRequest) -> [String: DebugLogEntry.Value] {
        var components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        components?.query = nil
        components?.fragment = nil
        components?.user = nil
        components?.password = nil
        return ["method": .string(request.httpMethod ?? "GET"), "url": .string(components?.string ?? "?")]
    }
}
#endif
