import Foundation

/// A request as a route of the relay expects it.
struct RelayRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method
    /// The segments behind the base URL.
    var path: [String]
    var query: [(name: String, value: String)] = []
    /// JSON; nil without a body.
    var body: Data?
    /// Whose data it is about.
    var subject: RequestSubject
    /// For how long the relay may wait before it answers.
    var wait: Duration = .zero

    init(
        _ method: Method, _ path: String..., query: [(name: String, value: String)] = [], body: Data? = nil,
        subject: RequestSubject
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.subject = subject
    }
}
