import Foundation
import TelemetryLogging
import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Logs the events of one request.
struct RequestLog {
    private let scenario: TelemetryScenario
    /// The attributes of all events of the request.
    private let common: [String: TelemetryValue]
    private let requestBytes: Int?

    /// - Parameters:
    ///   - requestBytes: The length of the request's body; nil if it is unknown.
    ///   - path: Returns what is logged as `path`.
    init(
        _ request: URLRequest, requestBytes: Int?, scenario: TelemetryScenario, path: (@Sendable (URL) -> String)?
    ) {
        self.scenario = scenario
        self.requestBytes = requestBytes
        common = Self.attributes(of: request, path: path)
    }

    func started() { scenario.log("request.started", level: .diagnostic, attributes: common) }

    func finished(_ response: URLResponse, responseBytes: Int?, duration: Duration) {
        scenario.log(
            "request.finished",
            attributes: adding(
                [
                    "status": (response as? HTTPURLResponse).map { .int(Int64($0.statusCode)) },
                    "requestBytes": requestBytes.map { .int(Int64($0)) },
                    "responseBytes": responseBytes.map { .int(Int64($0)) },
                ], duration))
    }

    /// The error's description is not logged, because it can contain the URL with its query.
    func failed(_ error: any Error, duration: Duration) {
        scenario.log("request.failed", attributes: adding(Self.attributes(of: error), duration))
    }

    private func adding(_ attributes: [String: TelemetryValue?], _ duration: Duration) -> [String: TelemetryValue] {
        let seconds = (duration / .microseconds(1)).rounded() / 1_000_000
        return common.merging(attributes.compactMapValues { $0 }) { $1 }.merging(["duration": .double(seconds)]) { $1 }
    }

    private static func attributes(of error: any Error) -> [String: TelemetryValue?] {
        if error is CancellationError || (error as? URLError)?.code == .cancelled {
            return ["error": "cancelled", "code": .int(Int64(URLError.Code.cancelled.rawValue))]
        }
        let error = error as NSError
        return ["error": .string(error.domain), "code": .int(Int64(error.code))]
    }

    private static func attributes(
        of request: URLRequest, path: (@Sendable (URL) -> String)?
    ) -> [String: TelemetryValue] {
        var attributes: [String: TelemetryValue] = ["method": .string(request.httpMethod ?? "GET")]
        guard let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let host = parts.host, !host.isEmpty
        else { return attributes }
        attributes["host"] = .string(host.lowercased())
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
