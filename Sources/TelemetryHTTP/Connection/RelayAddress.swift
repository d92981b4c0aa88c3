import Foundation
import TelemetryTransport

/// A relay's base URL, without credentials, to which paths are appended.
struct RelayAddress: Sendable, CustomStringConvertible {
    /// Without a trailing slash.
    private let base: String?

    /// - Parameter url: An `http` or `https` URL; its path precedes every route. Its user, password, query and fragment are
    ///   removed, because they must not appear in logs.
    init(_ url: URL) {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(components.scheme?.lowercased()), components.host?.isEmpty == false
        else {
            base = nil
            return
        }
        components.user = nil
        components.password = nil
        components.query = nil
        components.fragment = nil
        while components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath.removeLast() }
        base = components.string
    }

    /// The URL without credentials.
    var description: String { base ?? "a URL that is not http or https" }

    /// - Parameters:
    ///   - path: The route's segments, not encoded.
    ///   - query: Names and values, not encoded. A name may occur more than once.
    /// - Throws: `.invalidArgument` if the base is not an HTTP URL.
    func url(_ path: [String], query: [(name: String, value: String)] = []) throws(TelemetryTransportError) -> URL {
        guard let base else {
            throw .invalidArgument("The relay's URL must begin with http:// or https:// and name a host.")
        }
        var text = base
        for segment in path { text += "/" + PercentEncoding.encode(segment) }
        for (index, item) in query.enumerated() {
            text += index == 0 ? "?" : "&"
            text += PercentEncoding.encode(item.name) + "=" + PercentEncoding.encode(item.value)
        }
        guard let url = URL(string: text) else {
            throw .invalidArgument("The relay's URL cannot be used: \(base)")
        }
        return url
    }
}
