import Foundation
import Testing

/// The built tool, run as a user would.
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
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        var inherited = ProcessInfo.processInfo.environment
        for name in inherited.keys where name.hasPrefix("LIVE_TELEMETRY_") { inherited[name] = nil }
        inherited["XDG_CONFIG_HOME"] = Self.noConfiguration
        inherited["TZ"] = "UTC"
        process.environment = inherited.merging(environment) { _, own in own }
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        try pipes.input.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipes.input.fileHandleForWriting.close()
        async let output = text(from: pipes.output)
        async let errors = text(from: pipes.errors)
        let texts = await (output, errors)
        process.waitUntilExit()
        let isExit = process.terminationReason == .exit
        return Result(code: isExit ? process.terminationStatus : -process.terminationStatus, output: texts.0, errors: texts.1)
    }

    /// Reads until the other end closes, on a separate thread because reading blocks.
    private static func text(from pipe: Pipe) async -> String {
        let handle = pipe.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread {
                let data = (try? handle.readToEnd()) ?? nil
                continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
            }.start()
        }
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
