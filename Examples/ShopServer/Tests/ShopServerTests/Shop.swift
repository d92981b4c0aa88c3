import Foundation
import Programs

/// A running server of the example.
struct Shop {
    private let program: RunningProgram

    init(_ name: String, _ arguments: [String]) async throws {
        program = try await RunningProgram.start(BuiltProgram.url(name), ["--port", "0"] + arguments)
    }

    /// The next line with this text; nil if the program ends first.
    func line(with text: String) async -> String? { await program.output.first { $0.contains(text) } }

    /// The address from the server's line about it.
    func address() async -> URL? {
        await line(with: "listening on ").flatMap { URL(string: String($0.dropFirst("listening on ".count))) }
    }

    func send(_ signal: Int32) { program.send(signal) }

    func end(by signal: Int32) async throws -> ProgramEnd {
        send(signal)
        return try await program.end()
    }
}
