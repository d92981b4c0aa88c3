import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// A problem document (RFC 9457), thrown as an error and converted to a response in ``ProblemMiddleware``.
struct Problem: Error {
    typealias Code = TelemetryTransportError.Code

    let status: HTTPResponse.Status
    let code: Code
    let detail: String
    var headers: HTTPFields = [:]
    /// Additional members of the document, each a name and its JSON.
    var members: [(name: String, json: [UInt8])] = []

    init(_ status: HTTPResponse.Status, _ code: Code, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    static func invalidArgument(_ detail: String) -> Self { Self(.badRequest, .invalidArgument, detail) }
    /// A text that is not a query; the document has the place of the error.
    init(query error: any Error) {
        self = .invalidArgument("query: \(error.localizedDescription)")
        if let error = error as? TelemetryQueryError { members = [("offset", Array("\(error.offset)".utf8))] }
    }

    static func notFound(_ detail: String) -> Self { Self(.notFound, .notFound, detail) }
    static func forbidden(_ detail: String) -> Self { Self(.forbidden, .unauthorized, detail) }
    static func tooLarge(_ detail: String) -> Self { Self(.contentTooLarge, .quotaExceeded, detail) }

    static func unauthorized(_ detail: String) -> Self {
        Self(.unauthorized, .unauthorized, detail, headers: [.wwwAuthenticate: "Bearer"])
    }

    static func rateLimited(_ detail: String, retryAfter: Duration) -> Self {
        // Whole seconds, at least one, so that a client does not retry at once.
        let seconds = max(1, Int((retryAfter / .seconds(1)).rounded(.up)))
        return Self(.tooManyRequests, .rateLimited, detail, headers: [.retryAfter: "\(seconds)"])
    }

    static func unavailable(_ detail: String, retryAfter seconds: Int = 5) -> Self {
        Self(.serviceUnavailable, .unavailable, detail, headers: [.retryAfter: "\(seconds)"])
    }

    /// The document's members in JSON.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("title", status.reasonPhrase)
            writer.member("status", status.code)
            writer.member("detail", detail)
            writer.member("code", "\(code)")
            for member in members {
                writer.key(member.name)
                writer.raw(member.json)
            }
        }
    }

    var response: Response {
        var writer = JSONWriter()
        write(to: &writer)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}

extension Problem {
    /// The problem that corresponds to an error.
    /// - Returns: nil for an error that only the relay can cause.
    init?(_ error: any Error) {
        switch error {
        case let error as Problem: self = error
        case let error as Request.BadBody: self = Problem(error)
        case let error as JSONReaderError: self = .invalidArgument("The body is malformed: \(error.description).")
        case is DecodingError: self = .invalidArgument("The body is malformed.")
        case is NIOTooManyBytesError: self = .tooLarge("The body is too large.")
        case let error as TelemetryTransportError: self = Problem(error)
        case RelayStorageError.invalidCursor: self = .invalidArgument("This is not a cursor of this store.")
        case RelayStorageError.busy: self = .unavailable("All connections to the database are in use.")
        case RelayStorageError.timedOut:
            self = .unavailable("The request exceeds the database's time limit. Narrow it, for example to a client or a time.")
        case RelayStorageError.closed: self = .unavailable("The relay is shutting down.", retryAfter: 1)
        default: return nil
        }
    }

    private init(_ error: Request.BadBody) {
        let code: Code = error.status == .contentTooLarge ? .quotaExceeded : .invalidArgument
        self.init(error.status, code, error.reason)
    }

    private init(_ error: TelemetryTransportError) {
        switch error.code {
        case .invalidArgument: self = .invalidArgument(error.message)
        case .notFound: self = .notFound(error.message)
        case .conflict, .partialFailure: self.init(.conflict, error.code, error.message)
        case .unauthorized: self = .forbidden(error.message)
        case .quotaExceeded: self = .tooLarge(error.message)
        case .rateLimited: self = .rateLimited(error.message, retryAfter: error.retryAfter ?? .seconds(1))
        default: self = .unavailable("The storage is temporarily unavailable.")
        }
    }

    /// The problem that corresponds to an error response of Hummingbird.
    init(status: HTTPResponse.Status, headers: HTTPFields) {
        switch status {
        case .notFound: self = .notFound("There is nothing at this path.")
        case .contentTooLarge: self = .tooLarge("The body is too large.")
        case .unauthorized: self = .unauthorized("A valid token is required.")
        case .forbidden: self = .forbidden("This is not allowed.")
        case .tooManyRequests: self = .rateLimited("Too many requests.", retryAfter: .seconds(1))
        case _ where status.code >= 500: self = .unavailable("The relay is temporarily unavailable.")
        default: self = Problem(status, .invalidArgument, status.reasonPhrase)
        }
        self.headers.append(contentsOf: headers)
    }
}
