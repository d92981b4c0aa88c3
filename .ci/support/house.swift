// Checks the rules of CONTRIBUTING.md that a compiler does not: which layer may depend on which, what library code never
// calls, what a test never does, and how long a file may be.
// Usage: house LIBRARY-DESCRIPTION FILE…; the description is written by `swift package describe --type json`, the files
// are the project's Swift files, relative to the current directory.
import Foundation

/// What each library target may depend on. An addition is an architectural decision: Docs/LiveTelemetry.docc/Architecture.md.
let allowedDependencies: [String: Set<String>] = {
    let models: Set = ["TelemetryModels"]
    let transport = models.union(["TelemetryStorage"])
    let logging = transport.union(["TelemetryTransport"])
    let lifecycle = logging.union(["TelemetryPersistence", "TelemetryLogging"])
    let cloudKit = logging.union(["TelemetryPersistence"])
    return [
        "TelemetryModels": [], "TelemetryStorage": models, "TelemetryTransport": transport,
        "TelemetryPersistence": transport, "TelemetryLogging": logging, "TelemetryLifecycle": lifecycle,
        "TelemetryHTTP": logging, "TelemetryCloudKit": cloudKit,
        "TelemetryUI": lifecycle.union(["TelemetryLifecycle", "TelemetryCloudKit"]),
        "TelemetryDebugLogging": models, "TelemetryTestSupport": lifecycle.union(["TelemetryLifecycle"]),
    ]
}()

struct Package: Decodable {
    struct Target: Decodable {
        let name, type: String
        let targetDependencies: [String]?
    }
    struct Dependency: Decodable { let identity: String }
    let targets: [Target]
    let dependencies: [Dependency]
}

struct Rule {
    let pattern: NSRegularExpression
    let message: String

    init(_ pattern: String, _ message: String) throws {
        self.pattern = try NSRegularExpression(pattern: pattern)
        self.message = message
    }

    func matches(_ line: String) -> Bool {
        pattern.firstMatch(in: line, range: NSRange(line.startIndex..., in: line)) != nil
    }
}

/// The text with comments and the contents of string literals blanked, line for line; good enough for the patterns below.
func code(of text: String) -> [String] {
    let blanked = [
        #"(?s)/\*.*?\*/"#, #"(?s)""".*?""""#, #""(?:\\.|[^"\\\n])*""#, #"//[^\n]*"#,
    ].reduce(text) { text, pattern in
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return text }
        var result = text
        for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).reversed() {
            guard let range = Range(match.range, in: result) else { continue }
            result.replaceSubrange(range, with: String(repeating: "\n", count: result[range].count { $0.isNewline }))
        }
        return result
    }
    return blanked.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
}

let libraryRules = [
    try Rule(#"(?<![\w.])(?:debugPrint|print|NSLog|dump)\("#, "prints; report through the diagnostics handler"),
    try Rule("@unchecked Sendable", "unchecked sendability"),
    try Rule(#"nonisolated\(unsafe\)"#, "unsafe isolation"),
    try Rule(#"\btry!|\bas!"#, "a forced try or cast"),
    try Rule(#"fatalError\("#, "ends the host's process"),
    try Rule(#"Task\.detached"#, "a detached task"),
]
let testRules = [
    try Rule(#"Task\.sleep|Thread\.sleep|usleep\(|\bsleep\("#, "a test that sleeps"),
    try Rule(#"^\s*import XCTest"#, "XCTest; tests are written with Swift Testing"),
]
let unfinished = try Rule(#"\b(TODO|FIXME|XXX)\b"#, "unfinished work; open an issue instead")
let longest = 250

var faults: [String] = []
let description = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
guard let start = description.firstIndex(of: "{") else { throw CocoaError(.fileReadCorruptFile) }
let decoder = JSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let package = try decoder.decode(Package.self, from: Data(description[start...].utf8))
for dependency in package.dependencies { faults.append("Package.swift: depends on the package \(dependency.identity)") }
for target in package.targets where target.type == "library" {
    guard let allowed = allowedDependencies[target.name] else {
        faults.append("Package.swift: \(target.name) has no place among the layers")
        continue
    }
    for dependency in target.targetDependencies ?? [] where !allowed.contains(dependency) {
        faults.append("Package.swift: \(target.name) may not depend on \(dependency)")
    }
}

for path in CommandLine.arguments.dropFirst(2) {
    let parts = path.split(separator: "/")
    let isTest = parts.contains("Tests")
    let isLibrary = !isTest && (parts.first == "Sources" || parts.first == "Mocks")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let raw = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    if !isTest, raw.count > longest + 1 { faults.append("\(path): \(raw.count - 1) lines; at most \(longest)") }
    for (number, line) in raw.enumerated() where unfinished.matches(line) {
        faults.append("\(path):\(number + 1): \(unfinished.message)")
    }
    // Unsafe memory has one place, where each use gives its reason.
    let rules = (isLibrary ? libraryRules : isTest ? testRules : []).filter {
        !($0.message == "unchecked sendability" && parts.contains("Memory"))
    }
    guard !rules.isEmpty else { continue }
    for (number, line) in code(of: text).enumerated() {
        for rule in rules where rule.matches(line) { faults.append("\(path):\(number + 1): \(rule.message)") }
    }
}
for fault in faults { print(fault) }
print("guidelines: \(CommandLine.arguments.count - 2) files, \(faults.count) faults")
exit(faults.isEmpty ? 0 : 1)
