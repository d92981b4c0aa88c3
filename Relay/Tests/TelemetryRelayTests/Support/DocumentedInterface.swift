import Foundation

@testable import TelemetryRelay

/// The paths, methods and parameters of `openapi.yaml`, parsed by indentation: two spaces for a path, four for a method.
struct DocumentedInterface {
    /// The parameters of each route, each as its location and its name, such as `query limit`.
    private(set) var parameters: [RouteTable.Entry: Set<String>] = [:]

    init(_ text: String) {
        let shared = Self.sharedParameters(text)
        var path = ""
        var ofPath: Set<String> = []
        var method: String?
        for line in Self.section("paths:", of: text) {
            if line.hasPrefix("  /") {
                path = String(line.dropFirst(2).dropLast())
                (ofPath, method) = ([], nil)
            }
            let key = line.dropFirst(4).prefix { $0 != ":" }
            if line.hasPrefix("    "), ["get", "put", "post", "delete"].contains(key) {
                method = key.uppercased()
                parameters[RouteTable.Entry(method: key.uppercased(), template: path)] = ofPath
            }
            let found =
                line.matches(of: /#\/components\/parameters\/(\w+)/).compactMap { shared[String($0.1)] }
                + Self.parameters(in: line)
            if let method {
                parameters[RouteTable.Entry(method: method, template: path)]?.formUnion(found)
            } else {
                ofPath.formUnion(found)
            }
        }
    }

    private static func section(_ head: String, of text: String) -> [Substring] {
        let lines = text.split(separator: "\n").drop { $0 != head }.dropFirst()
        return Array(lines.prefix { $0.hasPrefix(" ") })
    }

    private static func parameters(in line: Substring) -> [String] {
        line.matches(of: /\{ name: ([\w-]+), in: (\w+)/).map { "\($0.2) \($0.1)" }
    }

    /// The shared parameters by their reference name.
    private static func sharedParameters(_ text: String) -> [String: String] {
        var shared: [String: String] = [:]
        for line in section("components:", of: text) {
            if let parameter = parameters(in: line).first {
                shared[String(line.dropFirst(4).prefix { $0 != ":" })] = parameter
            }
        }
        return shared
    }
}

extension RouteTable {
    /// The parameters of each route, in the form of ``DocumentedInterface/parameters``.
    var described: [Entry: Set<String>] {
        Dictionary(
            uniqueKeysWithValues: parameters.map { entry, parameters in
                let path = entry.template.matches(of: /\{(\w+)\}/).map { "path \($0.1)" }
                return (
                    entry, Set(path + parameters.query.map { "query \($0)" } + parameters.headers.map { "header \($0)" })
                )
            })
    }
}
