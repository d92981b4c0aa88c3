// Checks that an article's tables of layers match the dependencies in the manifest.
// Usage: layers DESCRIPTION ARTICLE. A row begins with the target's name in code voice; its last column contains the targets on
// which it depends, in code voice, and no other code voice.
import Foundation

struct Package: Decodable {
    struct Target: Decodable {
        let name: String
        let type: String
        let targetDependencies: [String]?
        /// Nil for what only the package's tests use.
        let productMemberships: [String]?
    }
    let targets: [Target]
}

let text = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
guard let start = text.firstIndex(of: "{") else { throw CocoaError(.fileReadCorruptFile) }
let decoder = JSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let package = try decoder.decode(Package.self, from: Data(text[start...].utf8))
/// Without declarations for hosts.
let hidden: Set = ["TelemetryTestKit", "TelemetryArticles"]
let libraries = package.targets.filter { $0.type == "library" && $0.productMemberships != nil && !hidden.contains($0.name) }
let names = Set(libraries.map(\.name))

func codeVoice(_ cell: Substring) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
        String($0.element)
    }
}

var documented: [String: Set<String>] = [:]
for line in try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8).split(separator: "\n") where line.hasPrefix("|")
{
    let cells = line.split(separator: "|")
    guard let first = cells.first, let last = cells.last, let name = codeVoice(first).first, name.hasPrefix("Telemetry") else {
        continue
    }
    documented[name] = Set(codeVoice(last))
}

var faults: [String] = []
for target in libraries {
    let declared = Set(target.targetDependencies ?? [])
    guard let listed = documented[target.name] else {
        faults.append("no row for \(target.name)")
        continue
    }
    guard listed != declared else { continue }
    faults.append("\(target.name) depends on \(declared.sorted()), the table lists \(listed.sorted())")
}
for name in documented.keys where !names.contains(name) { faults.append("there is no library \(name)") }
for fault in faults.sorted() { print(fault) }
print("\(documented.count) layers, \(faults.count) differ from the manifest")
exit(faults.isEmpty ? 0 : 1)
