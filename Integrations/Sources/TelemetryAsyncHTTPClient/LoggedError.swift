import AsyncHTTPClient
import NIOCore
import NIOPosix

/// What is logged of an error. Contains no associated values and no description, which can be parts of the URL or of headers.
struct LoggedError {
    let name: String
    /// The error number of the system; nil if there is none.
    let code: Int?

    init(_ error: any Error) {
        name =
            switch error {
            case is CancellationError: "cancelled"
            case let error as HTTPClientError where error == .cancelled: "cancelled"
            // The description of an error with associated values is `HTTPClientError.name(values)`.
            case let error as HTTPClientError: String(error.description.prefix { $0 != "(" })
            default: String(describing: type(of: error))
            }
        // A host's name can have several addresses. The one that was tried last is logged.
        let cause = (error as? NIOConnectionError)?.connectionErrors.last?.error ?? error
        code = (cause as? IOError).map { Int($0.errnoCode) }
    }
}
