import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

extension Problem {
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
