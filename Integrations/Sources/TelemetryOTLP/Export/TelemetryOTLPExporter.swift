public import Foundation
@_spi(Tooling) import TelemetryHTTP
public import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Posts events to an OpenTelemetry collector, as OTLP over HTTP with JSON.
///
/// Each call sends one request. ``TelemetryOTLPDelivery`` divides events among requests and retries.
public struct TelemetryOTLPExporter: Sendable {
    /// What the collector did with the events of a request.
    public struct Receipt: Sendable, Hashable {
        /// The number of events that the collector did not accept; they must not be sent again.
        public let rejectedCount: Int
        /// The collector's message, which may also be a warning about events that it accepted; at most 500 characters.
        public let message: String?
    }

    /// The URL that receives the requests, ending in `/v1/logs`.
    public let url: URL
    private let headers: [String: String]
    private let encoder: TelemetryOTLPEncoder
    private let timeout: Duration

    /// - Parameters:
    ///   - endpoint: The collector's URL, with or without the path `/v1/logs` at its end.
    ///   - headers: Headers of every request, such as the authorization.
    ///   - encoder: Encodes the events.
    ///   - timeout: How long a response may take.
    public init(
        endpoint: URL, headers: [String: String] = [:], encoder: TelemetryOTLPEncoder = TelemetryOTLPEncoder(),
        timeout: Duration = .seconds(30)
    ) {
        url = endpoint.path.hasSuffix("/v1/logs") ? endpoint : endpoint.appending(path: "v1/logs")
        self.headers = headers
        self.encoder = encoder
        self.timeout = timeout
    }

    /// Sends the events in one request.
    /// - Throws: ``TelemetryOTLPError``; `CancellationError` if the calling task is cancelled.
    public func export(_ events: some Sequence<TelemetryEvent>) async throws -> Receipt {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        #if canImport(FoundationNetworking)
        // A connection that is used again may have been closed by the collector. Foundation then repeats the request on another one
        // without its body, and waits until the timeout.
        request.setValue("close", forHTTPHeaderField: "Connection")
        #endif
        request.httpBody = Data(encoder.encode(events))
        let response: HTTPMessages.Response
        do { response = try await HTTPMessages.send(request, timeout: timeout) } catch let failure as HTTPMessages.Failure {
            throw TelemetryOTLPError(
                code: .unavailable, message: "The collector cannot be reached: \(failure.errorDescription ?? "").")
        }
        guard (200..<300).contains(response.status) else { throw Self.error(of: response) }
        return Self.receipt(response.body)
    }

    private static func error(of response: HTTPMessages.Response) -> TelemetryOTLPError {
        let code: TelemetryOTLPError.Code =
            switch response.status {
            // OTLP names 429, 502, 503 and 504; a proxy in front of the collector answers 408.
            case 408, 429, 502, 503, 504: .unavailable
            case 413: .tooLarge
            case 400, 422: .rejected
            case 401, 403: .unauthorized
            default: .misconfigured
            }
        var message = "The collector answered \(response.status)"
        if (300..<400).contains(response.status) {
            message += ", a redirection, which is not followed; use its target URL"
        } else if let text = text(response.body, key: "message") {
            message += ": \(text)"
        }
        return TelemetryOTLPError(code: code, message: message + ".", retryAfter: response.retryAfter)
    }

    /// An `ExportLogsServiceResponse`. A body that is none is ignored, because the status states success.
    private static func receipt(_ body: Data) -> Receipt {
        let response = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        let partial = response?["partialSuccess"] as? [String: Any]
        let count = partial?["rejectedLogRecords"]
        // A 64-bit integer is a string in JSON of protocol buffers, and a number is accepted.
        let rejected = (count as? String).flatMap { Int($0) } ?? (count as? NSNumber)?.intValue ?? 0
        return Receipt(
            rejectedCount: max(0, rejected), message: shortened(partial?["errorMessage"] as? String))
    }

    private static func text(_ body: Data, key: String) -> String? {
        let object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        return shortened(object?[key] as? String ?? String(bytes: body, encoding: .utf8))
    }

    private static func shortened(_ text: String?) -> String? {
        let trimmed = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return trimmed.isEmpty ? nil : String(trimmed.prefix(500))
    }
}
