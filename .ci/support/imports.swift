// Checks that the sources of packages import only modules that their manifests declare.
// Usage: imports DESCRIPTION…, written by `swift package describe --type json`, the library's first.
import Foundation

struct Package: Decodable {
    struct Target: Decodable {
        let name: String
        let path: String
        let sources: [String]
        let targetDependencies: [String]?
        let productDependencies: [String]?
    }
    struct Product: Decodable { let name: String, targets: [String] }
    struct Dependency: Decodable { let identity: String }
    let name: String
    let path: String
    let targets: [Target]
    let products: [Product]
    let dependencies: [Dependency]

    init(describedIn file: String) throws {
        // SwiftPM may print progress messages before the description.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let start = text.firstIndex(of: "{") else { throw CocoaError(.fileReadCorruptFile) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Package.self, from: Data(text[start...].utf8))
    }
}

/// The module that a line imports: `Module` for `@preconcurrency public import struct Module.Name`; nil for other lines.
func importedModule(in line: Substring) -> (module: String, isReexported: Bool, isTestable: Bool)? {
    var words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    if let comment = words.firstIndex(where: { $0.hasPrefix("//") }) { words.removeSubrange(comment...) }
    guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
    let modifiers: Set = ["public", "package", "internal", "fileprivate", "private"]
    guard words[..<keyword].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
    let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
    let named = words[(keyword + 1)...].drop { kinds.contains($0) }.first ?? ""
    let module = named.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return (String(module), words[..<keyword].contains("@_exported"), words[..<keyword].contains("@testable"))
}

let packages = try CommandLine.arguments.dropFirst().map { try Package(describedIn: $0) }
let library = packages[0]
var faults = library.dependencies.map { "Package.swift depends on \($0.identity), which every host would resolve" }
let own = Set(packages.flatMap(\.targets).map(\.name))

/// The library's targets with these names, and their direct and indirect dependencies.
func reachable(from names: Set<String>) -> Set<String> {
    var found = names
    var rest = Array(names)
    while let name = rest.popLast() {
        for next in library.targets.first(where: { $0.name == name })?.targetDependencies ?? [] where found.insert(next).inserted
        {
            rest.append(next)
        }
    }
    return found
}

/// The modules that a target's manifest declares: its targets, and those of the library's products.
func declared(_ target: Package.Target) -> Set<String> {
    let products = Set(target.productDependencies ?? [])
    let modules = library.products.filter { products.contains($0.name) }.flatMap(\.targets)
    return products.union(target.targetDependencies ?? []).union(modules)
}

/// Adds the faults of a target, and returns the number of its imports.
func check(_ target: Package.Target, of package: Package) throws -> Int {
    let isLibrary = package.path == library.path
    let declared = declared(target)
    var count = 0
    for source in target.sources where source.hasSuffix(".swift") {
        let path = "\(target.path)/\(source)"
        let text = try String(contentsOfFile: "\(package.path)/\(path)", encoding: .utf8)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let (module, isReexported, isTestable) = importedModule(in: line) else { continue }
            count += 1
            let place = "\(isLibrary ? "" : package.name + "/")\(path):\(index + 1)"
            if isReexported { faults.append("\(place) re-exports \(module)") }
            guard own.contains(module), module != target.name, !declared.contains(module) else { continue }
            // A tested target may depend on a library target that is not a product, which other packages cannot declare.
            if isTestable, !isLibrary, reachable(from: declared).contains(module) { continue }
            faults.append("\(place) imports \(module), which \(target.name) does not declare")
        }
    }
    return count
}

for package in packages {
    let count = try package.targets.reduce(0) { try $0 + check($1, of: package) }
    print("\(package.name): \(count) imports in \(package.targets.count) targets")
}
for fault in faults { print(fault) }
print("\(faults.count) faults")
exit(faults.isEmpty ? 0 : 1)
