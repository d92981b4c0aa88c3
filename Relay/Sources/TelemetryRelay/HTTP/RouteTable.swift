import HTTPTypes
import Synchronization

/// All routes with their parameters. Distinguishes an unsupported method from an unknown path, and lets a test compare the routes
/// with `openapi.yaml`.
final class RouteTable: Sendable {
    struct Entry: Hashable, Sendable {
        let method: String
        /// The path with its parameters in braces.
        let template: String
    }

    private let entries = Mutex<[Entry: RouteParameters]>([:])

    /// All routes.
    var all: Set<Entry> { entries.withLock { Set($0.keys) } }
    /// The parameters of each route, except those in the path.
    var parameters: [Entry: RouteParameters] { entries.withLock { $0 } }

    func add(_ method: HTTPRequest.Method, _ template: String, _ parameters: RouteParameters = .init()) {
        entries.withLock { $0[Entry(method: method.rawValue, template: template)] = parameters }
    }

    /// The methods that a path supports, in the form of `Allow`; nil for an unknown path.
    func methods(at path: String) -> String? {
        let parts = path.split(separator: "/")
        var methods = Set(all.filter { Self.matches($0.template, parts) }.map(\.method))
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.isEmpty ? nil : methods.sorted().joined(separator: ", ")
    }

    private static func matches(_ template: String, _ parts: [Substring]) -> Bool {
        let expected = template.split(separator: "/")
        return expected.count == parts.count && zip(expected, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
