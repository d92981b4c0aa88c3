// Lists the public declarations in symbol graphs that have no documentation comment.
// Usage: undocumented GRAPH…
import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        let identifier: Identifier
        let pathComponents: [String]
        let docComment: Comment?

        var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
        var isDocumented: Bool { docComment?.lines.contains { !$0.text.isEmpty } ?? false }
    }
    struct Module: Decodable { let name: String }
    let module: Module
    let symbols: [Symbol]
}

var faults: [String] = []
var count = 0
for path in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    for symbol in graph.symbols where !symbol.isSynthesized {
        // The compiler generates the projected value of a task-local property.
        guard symbol.pathComponents.last?.hasPrefix("$") != true else { continue }
        count += 1
        guard !symbol.isDocumented else { continue }
        faults.append("\(graph.module.name)/\(symbol.pathComponents.joined(separator: "/")) has no documentation")
    }
}
for fault in faults.sorted() { print(fault) }
print("documented: \(count - faults.count) of \(count) public declarations")
exit(faults.isEmpty ? 0 : 1)
