import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Logs the events of one request. Shared by the clients that log their requests.
@_spi(Tooling)
public struct RequestEvents: Sendable {
    private let scenario: TelemetryScenario
    /// The attributes of all events of the request.
    private let common: [String: TelemetryValue]
    private let requestBytes: Int?
    private let elapsed: @Sendable () -> Duration
    private let start: Duration

    /// Reads the time. Logs nothing.
    /// - Parameters:
    ///   - url: The URL; nil if neither host nor path may be logged.
    ///   - requestBytes: The length of the request's body; nil if it is unknown.
    ///   - elapsed: Returns the time since a moment that stays the same.
    ///   - path: Returns what is logged as `path`; nil for the percent-encoded path. The URL that it receives has no user, password,
    ///     query or fragment. It is called at most once.
    public init(
        method: String, url: URL?, requestBytes: Int?, scenario: TelemetryScenario, elapsed: @escaping @Sendable () -> Duration,
        path: (@Sendable (URL) -> String)?
    ) {
        self.scenario = scenario
        self.requestBytes = requestBytes
        self.elapsed = elapsed
        common = Self.attributes(of: url, path: path).merging(["method": .string(method)]) { $1 }
        start = elapsed()
    }

    /// Logs the start.
    public func started() { scenario.log("request.started", level: .diagnostic, attributes: common) }

    /// Logs the end of a request that has a response, with the time since the start.
    /// - Parameters:
    ///   - status: The status of the response; nil if it has none.
    ///   - responseBytes: The length of the body that the caller received; nil if it is unknown.
    public func finished(status: Int?, responseBytes: Int?) {
        log("request.finished", ["status": status, "requestBytes": requestBytes, "responseBytes": responseBytes])
    }

    /// Logs the end of a request that failed, with the time since the start.
    /// - Parameters:
    ///   - error: The name of the error's kind, without its description, which can contain the URL with its query.
    ///   - code: The number of the error; nil if it has none.
    public func failed(_ error: String, code: Int?) {
        log("request.failed", ["code": code], ["error": .string(error)])
    }

    private func log(_ name: String, _ numbers: [String: Int?], _ others: [String: TelemetryValue] = [:]) {
        let duration = elapsed() - start
        let seconds = (duration / .microseconds(1)).rounded() / 1_000_000
        scenario.log(
            name,
            attributes: common.merging(others) { $1 }
                .merging(numbers.compactMapValues { $0.map { .int(Int64($0)) } }) { $1 }
                .merging(["duration": .double(seconds)]) { $1 })
    }

    private static func attributes(of url: URL?, path: (@Sendable (URL) -> String)?) -> [String: TelemetryValue] {
        guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let host = parts.host, !host.isEmpty
        else { return [:] }
        var attributes: [String: TelemetryValue] = ["host": .string(host.lowercased())]
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        if let path {
            attributes["path"] = parts.url.map { .string(path($0)) }
        } else {
            // An empty path is sent as "/" (RFC 9112, section 3.2.1).
            attributes["path"] = .string(parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
        }
        return attributes
    }
}
