public import AsyncHTTPClient
public import Logging
public import NIOCore
import NIOHTTP1
@_spi(Tooling) public import TelemetryLogging
import Tracing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A client of AsyncHTTPClient that logs its requests as events of a scenario.
///
/// ```swift
/// let client = TelemetryHTTPClient(scenario: logger.scenario("NetworkRequests")) { url in
///     url.path().replacing(/\d+/, with: "{id}")
/// }
/// let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
/// let body = try await response.body.collect(upTo: 1 << 20)
/// ```
///
/// | Event | Level | Attributes |
/// |---|---|---|
/// | `request.started` | diagnostic | `method`, `host`, `path` |
/// | `request.finished` | info | the same, `status`, `duration`, `requestBytes`, `responseBytes` |
/// | `request.failed` | info | the same as `request.started`, `error`, `code`, `duration` |
///
/// One of `request.finished` and `request.failed` is logged for each request, once:
///
/// - `request.failed` if there is no response, or if reading its body throws an error.
/// - Otherwise `request.finished`: once the body was read to its end, or once the response and the iterator of its body are
///   released, if the caller stops reading earlier. If the response has no body by its status, its `Content-Length` or the
///   method, once it is there. A response with an error status is `request.finished`.
///
/// Attributes:
///
/// - `host` is in lower case. A URL that is not valid, or whose scheme is neither `http` nor `https`, has neither `host` nor
///   `path`, because the host of a Unix socket is the path of a file. After redirections, `host` and `path` are still those of
///   the first request.
/// - `status` is the status of the response (RFC 9110, section 15).
/// - `duration` is in seconds, to the microsecond, from a monotonic clock. It includes redirections, the transfer of the body,
///   and the time in which the caller handles the parts of the body.
/// - `requestBytes` and `responseBytes` are the lengths of the bodies, without headers. `responseBytes` is that of the data
///   that the caller received. It is less than what the server sent if the caller stopped reading, and more if the client
///   decompressed the body. `requestBytes` is left out if the body was created with an unknown length.
/// - `error` is the name of AsyncHTTPClient's error, such as `HTTPClientError.connectTimeout`, or the type of another error,
///   such as `NIOConnectionError`. For a request that was cancelled, it is `cancelled`.
/// - `code` is the system's error number (`errno`), if a connection failed and SwiftNIO's sockets report one. Otherwise it is
///   left out, because errors of AsyncHTTPClient have no number.
///
/// Queries, fragments, users, passwords, headers, bodies and descriptions of errors are not logged.
///
/// A request belongs to the ``/TelemetryModels/TelemetryContext`` of the task that sends it, whichever task reads the body. If
/// the scenario is off there when the request begins, and the flight recorder does not keep its events, none of the request's
/// events is logged, nothing is evaluated, `path` is not called, and the response is that of the `HTTPClient`. This also holds
/// if the scenario is turned on before the request ends. If it is turned off before the request ends, the end is not logged.
///
/// If the context has a value `trace_id` of 32 hexadecimal digits in lower case, not all 0, and the request has no header
/// `traceparent`, it is set to `00-<trace_id>-<span>-01` (W3C Trace Context, section 3.2), with a new random span. This is done
/// whether the scenario is on or off, but not if the `HTTPClient` has a tracer of swift-distributed-tracing, which sends its
/// own trace.
///
/// Results and errors are those of the `HTTPClient`, with one exception: `collect(upTo:)` of a body that is logged does not
/// compare `Content-Length` with its limit before it reads. Every method may be called from any task.
public struct TelemetryHTTPClient: Sendable {
    private let client: HTTPClient
    private let scenario: TelemetryScenario
    private let path: (@Sendable (URL) -> String)?
    private let elapsed: @Sendable () -> Duration

    /// Creates a client that logs requests. Sends none.
    /// - Parameters:
    ///   - client: The client that sends the requests, which the caller shuts down.
    ///   - scenario: The scenario of the events.
    ///   - path: Returns what is logged as `path`, for example with `{id}` in place of an identifier. The URL that it receives
    ///     has no user, password, query or fragment. It is called once for each request that is logged, in the task that sends
    ///     it. By default, the percent-encoded path of the URL is logged.
    public init(_ client: HTTPClient = .shared, scenario: TelemetryScenario, path: (@Sendable (URL) -> String)? = nil) {
        let origin = ContinuousClock.now
        self.init(client, scenario: scenario, elapsed: { ContinuousClock.now - origin }, path: path)
    }

    /// - Parameter elapsed: Returns the time since a moment that stays the same.
    package init(
        _ client: HTTPClient, scenario: TelemetryScenario, elapsed: @escaping @Sendable () -> Duration,
        path: (@Sendable (URL) -> String)? = nil
    ) {
        self.client = client
        self.scenario = scenario
        self.path = path
        self.elapsed = elapsed
    }

    /// Sends a request and returns its response, whose body may not yet have been received.
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: How long the request may take, as with `HTTPClient.execute(_:timeout:logger:)`.
    ///   - logger: Receives the messages of the `HTTPClient`.
    /// - Throws: The error of the `HTTPClient`; `CancellationError` if the task is cancelled. The body throws it too, if the
    ///   task that reads it is cancelled.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout, logger: logger)
    }

    /// Sends a request and returns its response, whose body may not yet have been received.
    /// - Parameters:
    ///   - request: The request.
    ///   - deadline: When the request fails, as with `HTTPClient.execute(_:deadline:logger:)`.
    ///   - logger: Receives the messages of the `HTTPClient`.
    /// - Throws: The error of the `HTTPClient`; `CancellationError` if the task is cancelled. The body throws it too, if the
    ///   task that reads it is cancelled.
    public func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        let request = sendsTrace ? request : request.traced()
        guard scenario.isEnabled else { return try await client.execute(request, deadline: deadline, logger: logger) }
        let log = RequestLog(
            RequestEvents(
                method: request.method.rawValue, url: request.loggedURL, requestBytes: request.bodyLength, scenario: scenario,
                elapsed: elapsed, path: path))
        do {
            var response = try await client.execute(request, deadline: deadline, logger: logger)
            log.responded(Int(response.status.code))
            if response.hasBody(of: request.method) {
                response.body = .stream(LoggedBody(response.body, log: log))
            } else {
                log.finish()
            }
            return response
        } catch {
            log.fail(error)
            throw error
        }
    }

    /// Whether the client itself sends a trace to servers.
    private var sendsTrace: Bool {
        guard let tracer = client.tracer else { return false }
        return !(tracer is NoOpTracer)
    }
}

extension HTTPClientResponse {
    /// Whether a body can follow (RFC 9112, section 6.3).
    fileprivate func hasBody(of method: HTTPMethod) -> Bool {
        method != .HEAD && status != .noContent && status != .notModified && headers.first(name: "Content-Length") != "0"
    }
}
