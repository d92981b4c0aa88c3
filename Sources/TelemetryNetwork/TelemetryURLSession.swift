public import Foundation
@_spi(Tooling) public import TelemetryLogging

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A URL session that logs its requests as events of a scenario.
///
/// ```swift
/// let session = TelemetryURLSession(scenario: logger.scenario("NetworkRequests")) { url in
///     url.path().replacing(/\d+/, with: "{id}")
/// }
/// let (data, response) = try await session.data(from: url)
/// ```
///
/// | Event | Level | Attributes |
/// |---|---|---|
/// | `request.started` | diagnostic | `method`, `host`, `path` |
/// | `request.finished` | info | the same, `status`, `duration`, `requestBytes`, `responseBytes` |
/// | `request.failed` | info | the same as `request.started`, `error`, `code`, `duration` |
///
/// - `host` is in lower case. A URL without a host, such as a `data:` URL, has neither `host` nor `path`, because its path can be
///   its content. After redirections, `host` and `path` are still those of the first request.
/// - `status` is the status of the response (RFC 9110, section 15), left out if the response is not of HTTP. A response with an
///   error status is `request.finished`.
/// - `duration` is in seconds, to the microsecond, from a monotonic clock. It includes redirections and the transfer of the body.
/// - `requestBytes` and `responseBytes` are the lengths of the bodies, without headers. `responseBytes` is that of the data that the
///   caller receives, which is longer than what was transferred if the response was compressed. The length of a body stream is
///   unknown, so `requestBytes` is left out.
/// - `error` and `code` are the domain and the code of the error, such as `NSURLErrorDomain` and -1004. For a request that was
///   cancelled, `error` is `cancelled` and `code` is -999 (`NSURLErrorCancelled`).
///
/// Queries, fragments, users, passwords, headers, bodies and descriptions of errors are not logged.
///
/// A request belongs to the ``/TelemetryModels/TelemetryContext`` of the task that sends it. If the scenario is off there when the
/// request begins, and the flight recorder does not keep its events, none of the request's events is logged, nothing is evaluated, and
/// `path` is not called. This also holds if the scenario is turned on before the request ends. If it is turned off before the request
/// ends, the end is not logged.
///
/// If the context has a value `trace_id` of 32 hexadecimal digits in lower case, not all 0, and the request has no header
/// `traceparent`, it is set to `00-<trace_id>-<span>-01` (W3C Trace Context, section 3.2), with a new random span. This is done
/// whether the scenario is on or off.
///
/// Results and errors are those of the `URLSession`. Cancelling the task that sends a request cancels the request, which then
/// throws `URLError.cancelled`, unless its response is already complete. On Linux (Swift 6.3), Foundation may still send the request of
/// a task that was cancelled before the call. Every method may be called from any task.
public struct TelemetryURLSession: Sendable {
    private let session: URLSession
    private let scenario: TelemetryScenario
    private let path: (@Sendable (URL) -> String)?
    private let elapsed: @Sendable () -> Duration
    private let randomSpan: @Sendable () -> UInt64

    /// Creates a session that logs requests. Sends none.
    /// - Parameters:
    ///   - session: The session that sends the requests.
    ///   - scenario: The scenario of the events.
    ///   - path: Returns what is logged as `path`, for example with `{id}` in place of an identifier. The URL that it receives has no
    ///     user, password, query or fragment. It is called once for each request that is logged, in the task that sends it. By
    ///     default, the percent-encoded path of the URL is logged.
    public init(_ session: URLSession = .shared, scenario: TelemetryScenario, path: (@Sendable (URL) -> String)? = nil) {
        let origin = ContinuousClock.now
        self.init(session, scenario: scenario, elapsed: { ContinuousClock.now - origin }, path: path)
    }

    /// - Parameters:
    ///   - elapsed: Returns the time since a moment that stays the same.
    ///   - randomSpan: Returns the identifier of a new span, not 0.
    package init(
        _ session: URLSession = .shared, scenario: TelemetryScenario, elapsed: @escaping @Sendable () -> Duration,
        randomSpan: @escaping @Sendable () -> UInt64 = { .random(in: 1 ... .max) }, path: (@Sendable (URL) -> String)? = nil
    ) {
        self.session = session
        self.scenario = scenario
        self.path = path
        self.randomSpan = randomSpan
        self.elapsed = elapsed
    }

    /// Sends a request and returns the body of its response.
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: Receives events of this request, as with `URLSession.data(for:delegate:)`.
    /// - Throws: The error of the `URLSession`; `URLError.cancelled` if the task is cancelled.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(request, requestBytes: Self.bodyBytes, responseBytes: \.count) {
            try await session.data(for: $0, delegate: delegate)
        }
    }

    /// Sends a GET request to a URL and returns the body of its response.
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: Receives events of this request, as with `URLSession.data(from:delegate:)`.
    /// - Throws: The error of the `URLSession`; `URLError.cancelled` if the task is cancelled.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request with a body and returns the body of its response.
    /// - Parameters:
    ///   - request: The request; its own body is not used.
    ///   - bodyData: The body.
    ///   - delegate: Receives events of this request, as with `URLSession.upload(for:from:delegate:)`.
    /// - Throws: The error of the `URLSession`; `URLError.cancelled` if the task is cancelled.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(request, requestBytes: { _ in bodyData.count }, responseBytes: \.count) {
            try await session.upload(for: $0, from: bodyData, delegate: delegate)
        }
    }

    /// Sends a request whose body is the content of a file, and returns the body of its response.
    /// - Parameters:
    ///   - request: The request; its own body is not used.
    ///   - fileURL: The file.
    ///   - delegate: Receives events of this request, as with `URLSession.upload(for:fromFile:delegate:)`.
    /// - Throws: The error of the `URLSession`, including the one for a file that cannot be read; `URLError.cancelled` if the task is cancelled.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(request, requestBytes: { _ in Self.fileBytes(fileURL) }, responseBytes: \.count) {
            try await session.upload(for: $0, fromFile: fileURL, delegate: delegate)
        }
    }

    /// Sends a request and returns a temporary file with the body of its response, which the caller moves or removes.
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: Receives events of this request, as with `URLSession.download(for:delegate:)`.
    /// - Throws: The error of the `URLSession`; `URLError.cancelled` if the task is cancelled.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await perform(request, requestBytes: Self.bodyBytes, responseBytes: Self.fileBytes) {
            try await session.download(for: $0, delegate: delegate)
        }
    }

    /// Sends a GET request to a URL and returns a temporary file with the body of its response, which the caller moves or removes.
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: Receives events of this request, as with `URLSession.download(from:delegate:)`.
    /// - Throws: The error of the `URLSession`; `URLError.cancelled` if the task is cancelled.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// - Parameters:
    ///   - requestBytes: Returns the length of the request's body; nil if it is unknown. Called before the request is sent.
    ///   - responseBytes: Returns the length of the response's body; nil if it is unknown.
    private func perform<Body>(
        _ request: URLRequest, requestBytes: (URLRequest) -> Int?, responseBytes: (Body) -> Int?,
        send: (URLRequest) async throws -> (Body, URLResponse)
    ) async throws -> (Body, URLResponse) {
        let request = request.traced(span: randomSpan)
        guard scenario.isEnabled else { return try await send(request) }
        let events = RequestEvents(
            method: request.httpMethod ?? "GET", url: request.url, requestBytes: requestBytes(request), scenario: scenario,
            elapsed: elapsed, path: path)
        events.started()
        do {
            let (body, response) = try await send(request)
            events.finished(status: (response as? HTTPURLResponse)?.statusCode, responseBytes: responseBytes(body))
            return (body, response)
        } catch {
            let (domain, code) = Self.domainAndCode(of: error)
            events.failed(domain, code: code)
            throw error
        }
    }

    private static func domainAndCode(of error: any Error) -> (String, Int) {
        if error is CancellationError || (error as? URLError)?.code == .cancelled {
            return ("cancelled", URLError.Code.cancelled.rawValue)
        }
        let error = error as NSError
        return (error.domain, error.code)
    }

    private static func bodyBytes(of request: URLRequest) -> Int? {
        request.httpBodyStream == nil ? request.httpBody?.count ?? 0 : nil
    }

    private static func fileBytes(_ file: URL) -> Int? {
        // Not the resource values of the URL, which are cached.
        (try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false)))?[.size] as? Int
    }
}
