import Foundation
import Programs

/// A running process of the example.
struct NotesHost {
    private let program: RunningProgram

    /// - Parameter folder: A folder of the test, where the host keeps its state.
    init(_ arguments: [String], in folder: URL, environment: [String: String] = [:]) async throws {
        program = try await RunningProgram.start(
            BuiltProgram.url("notes-host"), arguments,
            environment: ["XDG_STATE_HOME": folder.appending(path: "state").path].merging(environment) { _, own in own })
    }

    func type(_ line: String) async throws { try await program.write("\(line)\n") }

    /// The next line with this text, or nil if the program ends first.
    func line(with text: String) async -> String? { await program.output.first { $0.contains(text) } }

    /// The next error with this text, or nil if the program ends first.
    func error(with text: String) async -> String? { await program.errors.first { $0.contains(text) } }

    func end(by signal: Int32) async throws -> ProgramEnd {
        program.send(signal)
        return try await end()
    }

    func end() async throws -> ProgramEnd { try await program.end() }
}
