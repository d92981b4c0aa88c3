import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportError.Code {
    /// The code that a problem names; nil for one that this version does not know.
    init?(problemCode name: String) {
        let known: [Self] = [
            .notFound, .conflict, .invalidArgument, .unauthorized, .rateLimited, .unavailable, .quotaExceeded, .corrupted,
            .closed,
            .partialFailure,
        ]
        guard let code = known.first(where: { $0.description == name }) else { return nil }
        self = code
    }

    /// The code for a status whose answer does not say more.
    init(status: Int) {
        switch status {
        case 401, 403, 407: self = .unauthorized
        case 404, 410: self = .notFound
        case 408, 425: self = .unavailable
        case 409, 412: self = .conflict
        case 413, 507: self = .quotaExceeded
        case 429: self = .rateLimited
        case 400..<500: self = .invalidArgument
        // A redirection, too: it is not followed, and may be gone once the URL or the proxy is put right.
        default: self = .unavailable
        }
    }
}

extension TelemetryTransportError {
    /// The longest text of a server that becomes part of a message.
    private static let maximumDetail = 500

    /// What a relay's refusal means.
    init(refusal reply: HTTPReply, address: RelayAddress, now: Date) {
        let status = reply.head.status
        let problem = RelayProblem(reply.body)
        let code = problem.flatMap { Code(problemCode: $0.code) } ?? Code(status: status)
        var message = "The relay at \(address) answered \(status)"
        if let text = problem.map({ $0.detail.isEmpty ? $0.title : $0.detail }), !text.isEmpty {
            message += ": \(text.prefix(Self.maximumDetail))"
        } else if (300..<400).contains(status) {
            message += ", a redirection, which is not followed; use the URL that it leads to"
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

    /// What it means that there was no answer.
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
        // The error underneath holds the whole URL, filters and all, and is not passed on.
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
