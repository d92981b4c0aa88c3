import HTTPTypes
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

    /// A text that is not a query; the document has the position of the error.
    init(query error: any Error) {
        let error = error as? TelemetryQueryError
        self = .invalidArgument("query: \(error?.message ?? "This is not a query.")")
        if let error { members = [("offset", Array("\(error.offset)".utf8))] }
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
}
