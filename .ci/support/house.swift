// Checks the guidelines of CONTRIBUTING.md that the compiler does not: dependencies between layers, forbidden calls in library
// code and in tests, and the length of files.
// Usage: house LIBRARY-DESCRIPTION FILE…; the description is written by `swift package describe --type json`, the files
// are the project's Swift files, relative to the current directory.
import Foundation

/// The targets on which each library target may depend. See Docs/LiveTelemetry.docc/Architecture.md before adding one.
let allowedDependencies: [String: Set<String>] = {
    let models: Set = ["TelemetryModels"]
    let transport = models.union(["TelemetrySystem"])
    let logging = transport.union(["TelemetryTransport"])
    let lifecycle = logging.union(["TelemetryPersistence", "TelemetryLogging"])
    let cloudKit = logging.union(["TelemetryPersistence"])
    return [
        "TelemetryModels": [], "TelemetrySystem": models, "TelemetryTransport": transport,
        "TelemetryPersistence": transport, "TelemetryLogging": logging, "TelemetryLifecycle": lifecycle,
        "TelemetryHTTP": logging, "TelemetryNetwork": models.union(["TelemetryLogging"]), "TelemetryCloudKit": cloudKit,
        "TelemetryUI": lifecycle.union(["TelemetryLifecycle", "TelemetryCloudKit"]),
        "TelemetryDebugLogging": models, "TelemetryTestSupport": lifecycle.union(["TelemetryLifecycle"]), "TelemetryTestKit": [],
        "TelemetryArticles": [],
    ]
}()

struct Package: Decodable {
    struct Target: Decodable {
        let name, type: String
        let targetDependencies: [String]?
        /// Nil for what only the package's tests use.
        let productMemberships: [String]?
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

/// The lines of the text without comments and string literals; approximate, but sufficient for the patterns below.
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
    try Rule(
        #"\bimport (Darwin|Glibc|Musl|Android|Bionic)\b"#,
        "imports the C library outside TelemetrySystem; import Foundation, which re-exports it on every system"),
]
let testRules = [
    try Rule(#"Task\.sleep|Thread\.sleep|usleep\(|\bsleep\("#, "a sleep in a test"),
    try Rule(#"^\s*import XCTest"#, "XCTest; tests are written with Swift Testing"),
]
let unfinished = try Rule(#"\b(TODO|FIXME|XXX)\b"#, "unfinished work; open an issue instead")
/// Swift 6.3 keeps the bodies of a package type's inlinable members only if the type has the attribute, too.
let notInlined = try Rule(
    #"^(?!.*@usableFromInline).*\bpackage (final )?(class|struct|enum|actor) "#,
    "the inlinable members of a package type are inlined only if the type is @usableFromInline")
let longest = 400

var faults: [String] = []
let description = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
guard let start = description.firstIndex(of: "{") else { throw CocoaError(.fileReadCorruptFile) }
let decoder = JSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let package = try decoder.decode(Package.self, from: Data(description[start...].utf8))
for dependency in package.dependencies { faults.append("Package.swift: depends on the package \(dependency.identity)") }
for target in package.targets where target.type == "library" && target.productMemberships != nil {
    guard let allowed = allowedDependencies[target.name] else {
        faults.append("Package.swift: \(target.name) is not listed in the allowed dependencies")
        continue
    }
    for dependency in target.targetDependencies ?? [] where !allowed.contains(dependency) {
        faults.append("Package.swift: \(target.name) may not depend on \(dependency)")
    }
}

for path in CommandLine.arguments.dropFirst(2) {
    let parts = path.split(separator: "/")
    let isTest = parts.contains("Tests")
    let isLibrary = !isTest && ["Sources", "Mocks", "Integrations"].contains(parts.first)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let raw = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    if !isTest, raw.count > longest + 1 { faults.append("\(path): \(raw.count - 1) lines; at most \(longest)") }
    for (number, line) in raw.enumerated() where unfinished.matches(line) {
        faults.append("\(path):\(number + 1): \(unfinished.message)")
    }
    // Folders named Memory may contain unchecked sendability, with a reason at each use.
    // TelemetrySystem has a branch for each C library, and Mocks/CLibraries contains stand-ins for them.
    let importsCLibrary = parts.contains("TelemetrySystem") || parts.contains("CLibraries")
    var rules = (isLibrary ? libraryRules : isTest ? testRules : []).filter {
        !($0.message == "unchecked sendability" && parts.contains("Memory"))
            && !($0.message.hasPrefix("imports the C library") && importsCLibrary)
    }
    guard !rules.isEmpty else { continue }
    let lines = code(of: text)
    if isLibrary, lines.contains(where: { $0.contains("@inlinable") }) { rules.append(notInlined) }
    for (number, line) in lines.enumerated() {
        for rule in rules where rule.matches(line) { faults.append("\(path):\(number + 1): \(rule.message)") }
    }
}
for fault in faults { print(fault) }
print("guidelines: \(CommandLine.arguments.count - 2) files, \(faults.count) faults")
exit(faults.isEmpty ? 0 : 1)
