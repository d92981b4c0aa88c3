import Foundation
import Programs

/// A running process of the tool.
final class RunningTool: Sendable {
    let output: Lines
    let errors: Lines
    private let program: RunningProgram

    static func start(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningTool {
        let variables = ["XDG_CONFIG_HOME": ToolProcess.noConfiguration].merging(environment) { _, own in own }
        return RunningTool(try await RunningProgram.start(ToolProcess.executable, arguments, environment: variables))
    }

    private init(_ program: RunningProgram) {
        self.program = program
        output = Lines(stream: program.output)
        errors = Lines(stream: program.errors)
    }

    func write(_ text: String) async throws { try await program.write(text) }

    func closeInput() async throws { try await program.closeInput() }

    func send(_ signal: Int32) { program.send(signal) }

    /// Kills the process.
    func kill() { send(SIGKILL) }

    /// Interrupts the process, as ^C does.
    func interrupt() { send(SIGINT) }

    /// Waits until the process has ended.
    @discardableResult
    func ended() async throws -> ProgramEnd { try await program.end() }

    /// Lines of output as they arrive.
    struct Lines: Sendable {
        fileprivate let stream: AsyncStream<String>

        func next() async -> String? { await first { _ in true } }

        /// The next line that satisfies the condition, or nil if the process ends first.
        func first(where condition: (String) -> Bool) async -> String? {
            for await line in stream {
                let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
                if condition(line) { return line }
            }
            return nil
        }
    }
}
