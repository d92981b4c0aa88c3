import HTTPTypes
import Synchronization

/// Every path that the relay answers, its methods and their parameters, so that a path with another method is told apart from no
/// path, and the document of the interface can be held against what is served.
final class RouteTable: Sendable {
    struct Entry: Hashable, Sendable {
        let method: String
        /// The path with its parameters in braces.
        let template: String
    }

    private let entries = Mutex<[Entry: RouteParameters]>([:])

    /// What was added so far.
    var all: Set<Entry> { entries.withLock { Set($0.keys) } }
    /// The parameters of what was added so far, beside those in the path.
    var parameters: [Entry: RouteParameters] { entries.withLock { $0 } }

    func add(_ method: HTTPRequest.Method, _ template: String, _ parameters: RouteParameters = .init()) {
        entries.withLock { $0[Entry(method: method.rawValue, template: template)] = parameters }
    }

    /// The methods that a path takes, as `Allow` lists them; nil for a path that there is not.
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
