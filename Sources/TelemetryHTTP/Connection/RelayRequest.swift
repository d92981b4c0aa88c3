import Foundation

/// A request to a route of the relay.
struct RelayRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method
    /// The segments that follow the base URL.
    var path: [String]
    var query: [(name: String, value: String)] = []
    /// Nil for no body.
    var body: Data?
    /// The media type of the body.
    var contentType = "application/json"
    /// Whether the body is sent as gzip if that is shorter. Relays accept gzip for events.
    var compresses = false
    /// The client whose data the request concerns.
    var subject: RequestSubject
    /// How long the relay may wait before it responds.
    var wait: Duration = .zero

    init(
        _ method: Method, _ path: String..., query: [(name: String, value: String)] = [], body: Data? = nil,
        compresses: Bool = false, subject: RequestSubject
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.compresses = compresses
        self.subject = subject
    }
}
