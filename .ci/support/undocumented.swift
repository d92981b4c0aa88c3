// Reads symbol graphs and names the public types and protocol requirements that say nothing about themselves.
// Usage: undocumented GRAPH…
import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let docComment: Comment?

        var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
        var isDocumented: Bool { docComment?.lines.contains { !$0.text.isEmpty } ?? false }
    }
    struct Module: Decodable { let name: String }
    struct Relationship: Decodable { let kind, source: String }
    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]
}

let types: Set = ["swift.struct", "swift.enum", "swift.class", "swift.protocol"]
var faults: [String] = []
var count = 0
for path in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    let requirements = Set(graph.relationships.filter { $0.kind.hasSuffix("equirementOf") }.map(\.source))
    for symbol in graph.symbols where !symbol.isSynthesized {
        let isRequirement = requirements.contains(symbol.identifier.precise)
        guard isRequirement || types.contains(symbol.kind.identifier) else { continue }
        count += 1
        guard !symbol.isDocumented else { continue }
        faults.append("\(graph.module.name)/\(symbol.pathComponents.joined(separator: "/")) has no documentation")
    }
}
for fault in faults.sorted() { print(fault) }
print("documented: \(count - faults.count) of \(count) public types and protocol requirements")
exit(faults.isEmpty ? 0 : 1)
