// Lists the public API in symbol graphs, one declaration per line, or compares it with a recorded list.
// Usage: api record FILE VERSION GRAPH… | api compare FILE VERSION GRAPH…
// Comparing fails if the list is of another version, or a declaration of it is missing or changed; new ones are only counted.
import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?
    }
    struct Module: Decodable { let name: String }
    struct Relationship: Decodable { let kind, source, target: String, targetFallback: String? }
    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]
}

let arguments = CommandLine.arguments
var lines: Set<String> = []
for path in arguments.dropFirst(4) {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    var names: [String: String] = [:]
    for symbol in graph.symbols where !symbol.identifier.precise.contains("::SYNTHESIZED::") {
        let name = "\(graph.module.name).\(symbol.pathComponents.joined(separator: "."))"
        names[symbol.identifier.precise] = name
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
        lines.insert("\(name): \(declaration.split { $0.isWhitespace }.joined(separator: " "))")
    }
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
        guard let name = names[relationship.source] else { continue }
        let target =
            relationship.targetFallback?.split(separator: ".").last.map(String.init)
            ?? names[relationship.target]?.split(separator: ".").last.map(String.init)
        // Marker protocols to which types conform implicitly are not listed.
        guard let target, !["Copyable", "Escapable", "SendableMetatype"].contains(target) else { continue }
        lines.insert("\(name) conforms to \(target)")
    }
}
let header = "# The public API of version \(arguments[3]), a declaration a line; written by `.ci/api record`.\n"
switch arguments[1] {
case "record":
    try Data((header + lines.sorted().joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: arguments[2]))
    print("recorded: \(lines.count) declarations")
case "compare":
    /// The base name and the argument labels of `Module.Type.name(a:b:): declaration`; nil for a declaration without arguments.
    func signature(_ line: String) -> (base: Substring, labels: [Substring])? {
        guard let open = line.firstIndex(of: "("), let close = line[open...].firstIndex(of: ")"),
            line[line.index(after: close)...].hasPrefix(":")
        else { return nil }
        return (line[..<open], line[line.index(after: open)..<close].split(separator: ":"))
    }
    /// Whether calls of the old declaration compile with the new one: it has the same arguments in the same order, and additional
    /// ones have defaults.
    func extends(_ new: String, _ old: (base: Substring, labels: [Substring])) -> Bool {
        guard let signature = signature(new), signature.base == old.base else { return false }
        var expected = old.labels[...]
        for label in signature.labels {
            if label == expected.first {
                expected.removeFirst()
            } else if new.range(of: "[(, ]\(label)(?: [a-z]\\w*)?: [^,]*=", options: .regularExpression) == nil {
                return false
            }
        }
        return expected.isEmpty
    }
    let baseline = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n").map(String.init)
    guard baseline.first.map({ $0 + "\n" }) == header else {
        print("\(arguments[2]) is not of version \(arguments[3])")
        exit(1)
    }
    let expected = Set(baseline.filter { !$0.hasPrefix("#") })
    let added = lines.subtracting(expected)
    let broken = expected.subtracting(lines).filter { line in
        guard let old = signature(line) else { return true }
        return !added.contains { extends($0, old) }
    }
    for line in broken.sorted() { print("removed or changed: \(line)") }
    print("public API: \(broken.count) of \(expected.count) declarations broken, \(added.count) new")
    exit(broken.isEmpty ? 0 : 1)
default:
    print("usage: api record|compare FILE VERSION GRAPH…")
    exit(64)
}
