import Foundation
import Testing

/// Runs the built tool as a user does.
struct ToolProcess {
    struct Result {
        let code: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    }

    /// The tool is in the build directory of the tests.
    static var executable: URL {
        var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let tool = folder.appendingPathComponent("telemetry")
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: tool.path, isDirectory: &isDirectory), !isDirectory.boolValue {
                return tool
            }
        }
        return URL(fileURLWithPath: "telemetry")
    }

    /// A directory without the developer's contexts, which would change the results.
    static let noConfiguration = "/nonexistent/telemetry-tests"

    static func run(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws -> Result {
        try await run(arguments, environment: environment, input: input)
    }

    static func run(_ arguments: [String], environment: [String: String] = [:], input: String = "") async throws -> Result {
        var inherited = ProcessInfo.processInfo.environment
        for name in inherited.keys where name.hasPrefix("LIVE_TELEMETRY_") { inherited[name] = nil }
        inherited["XDG_CONFIG_HOME"] = Self.noConfiguration
        inherited["TZ"] = "UTC"
        inherited["USER"] = "tester"
        let process = try ChildProcess(arguments, environment: inherited.merging(environment) { _, own in own })
        try process.input?.write(contentsOf: Data(input.utf8))
        try process.input?.close()
        async let output = ChildProcess.text(from: process.output)
        async let errors = ChildProcess.text(from: process.errors)
        let texts = await (output, errors)
        let exit = await process.exit()
        return Result(code: exit.code ?? -exit.status, output: texts.0, errors: texts.1)
    }
}

/// Runs a test with a temporary directory.
func withDirectory<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> T
) async throws -> T {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("telemetry-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url)
}
