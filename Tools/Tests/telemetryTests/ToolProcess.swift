import Foundation
import Programs
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
    static var executable: URL { get throws { try BuiltProgram.url("telemetry") } }

    /// A directory without the developer's contexts, which would change the results.
    static let noConfiguration = "/nonexistent/telemetry-tests"

    static func run(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws -> Result {
        try await run(arguments, environment: environment, input: input)
    }

    static func run(_ arguments: [String], environment: [String: String] = [:], input: String = "") async throws -> Result {
        var variables: [String: String?] = ["XDG_CONFIG_HOME": noConfiguration, "TZ": "UTC", "USER": "tester"]
        for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("LIVE_TELEMETRY_") {
            variables.updateValue(nil, forKey: name)
        }
        let tool = try await FinishedProgram.run(
            executable, arguments, environment: variables.merging(environment) { _, own in own }, input: input)
        switch tool.end {
        case .exited(let code): return Result(code: code, output: tool.text, errors: tool.errors)
        case .killed(let number): return Result(code: -number, output: tool.text, errors: tool.errors)
        }
    }
}
