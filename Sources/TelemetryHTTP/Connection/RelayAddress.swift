import Foundation
import TelemetryTransport

/// Where a relay is: a base URL, without credentials, to which paths are appended.
struct RelayAddress: Sendable, CustomStringConvertible {
    /// Without a slash at its end.
    private let base: String?

    /// - Parameter url: An `http` or `https` URL; its path is kept in front of every route. A user, a password, a query and a
    ///   fragment in it are left out: they belong into no log.
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
    ///   - path: The route's segments, which are encoded here.
    ///   - query: Names and values, likewise; one name may occur more than once.
    /// - Throws: `.invalidArgument` where the base is not an HTTP URL.
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
