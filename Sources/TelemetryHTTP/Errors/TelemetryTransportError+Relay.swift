import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportError.Code {
    /// The code of a problem; nil for a code unknown to this version.
    init?(problemCode name: String) {
        let known: [Self] = [
            .notFound, .conflict, .invalidArgument, .unauthorized, .rateLimited, .unavailable, .quotaExceeded, .corrupted,
            .closed,
            .partialFailure,
        ]
        guard let code = known.first(where: { $0.description == name }) else { return nil }
        self = code
    }

    /// The code for a status without problem details.
    init(status: Int) {
        switch status {
        case 401, 403, 407: self = .unauthorized
        case 404, 410: self = .notFound
        case 408, 425: self = .unavailable
        case 409, 412: self = .conflict
        case 413, 507: self = .quotaExceeded
        case 429: self = .rateLimited
        case 400..<500: self = .invalidArgument
        // Includes redirections, which are not followed. They may disappear once the URL or the proxy is corrected.
        default: self = .unavailable
        }
    }
}

extension TelemetryTransportError {
    /// The maximum length of a server's text in a message.
    private static let maximumDetail = 500

    /// Creates the error for a relay's refusal.
    init(refusal reply: HTTPReply, address: RelayAddress, now: Date) {
        let status = reply.head.status
        let problem = RelayProblem(reply.body)
        let code = problem.flatMap { Code(problemCode: $0.code) } ?? Code(status: status)
        var message = "The relay at \(address) answered \(status)"
        if let text = problem.map({ $0.detail.isEmpty ? $0.title : $0.detail }), !text.isEmpty {
            message += ": \(text.prefix(Self.maximumDetail))"
        } else if (300..<400).contains(status) {
            message += ", a redirection, which is not followed; use its target URL"
        }
        let failures = (problem?.failures ?? []).map { failure in
            (
                TelemetryRecord.ID(recordName: failure.recordName),
                TelemetryTransportError(
                    code: Code(problemCode: failure.code) ?? .unavailable,
                    message: failure.detail.isEmpty
                        ? "The relay did not save the record." : String(failure.detail.prefix(Self.maximumDetail)),
                    serverRecord: failure.record)
            )
        }
        self.init(
            code: code, message: message, serverRecord: problem?.record,
            failures: Dictionary(failures) { first, _ in first },
            retryAfter: RetryAfter.duration(reply.head.header("Retry-After"), date: reply.head.header("Date"), now: now))
    }

    /// Creates the error for a request without a response.
    init(connectionFailure error: any Error, address: RelayAddress) {
        if let error = error as? DeadlineExceeded {
            self.init(
                code: .unavailable, message: "The relay at \(address) did not answer within \(error.limit).", cause: error)
            return
        }
        if let error = error as? HTTPOverflow {
            self.init(
                code: .unavailable, message: "The relay at \(address) answered with more than \(error.limit) bytes.",
                cause: error)
            return
        }
        let failure = error as NSError
        let text = failure.localizedDescription
        // On Linux every failure of TLS has the same code; only the text differs.
        let isCertificate =
            Self.certificateCodes.contains(failure.code) || text.range(of: "certificate", options: .caseInsensitive) != nil
        let isURL = [URLError.Code.badURL, .unsupportedURL].map(\.rawValue).contains(failure.code)
        let reason = "\(text) (\(failure.domain) \(failure.code))"
        // The underlying error contains the whole URL, including filters, and is not passed on.
        let cause = NSError(domain: failure.domain, code: failure.code)
        if isCertificate {
            self.init(
                code: .unauthorized,
                message: "The certificate of the relay at \(address) is not trusted here, so nothing was sent: \(reason)",
                cause: cause)
        } else if isURL {
            self.init(code: .invalidArgument, message: "The relay's URL \(address) cannot be used: \(reason)", cause: cause)
        } else {
            self.init(code: .unavailable, message: "The relay at \(address) cannot be reached: \(reason)", cause: cause)
        }
    }

    private static let certificateCodes = [
        URLError.Code.serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
    ].map(\.rawValue)
}
