public import Foundation

/// Why a collector did not accept a request.
public struct TelemetryOTLPError: Error, LocalizedError, Sendable, Equatable {
    /// What the caller can do.
    public enum Code: Sendable, Hashable {
        /// The collector cannot be reached, or is overloaded; the same request may succeed later.
        case unavailable
        /// The collector cannot process the events; the same request fails again.
        case rejected
        /// The request has too many bytes for the collector.
        case tooLarge
        /// The collector requires other credentials: no request will succeed.
        case unauthorized
        /// The endpoint is not a collector's, or the collector failed: no request will succeed.
        case misconfigured
    }

    public let code: Code
    /// What happened, without the request's headers.
    public let message: String
    /// The collector's `Retry-After`: how long to wait before the next request; at most a day.
    public let retryAfter: Duration?

    public var errorDescription: String? { message }

    /// Creates an error; the parameters are the properties of the same names.
    public init(code: Code, message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}
