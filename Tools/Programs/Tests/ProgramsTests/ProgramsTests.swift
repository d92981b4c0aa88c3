import Foundation
import Programs
import Testing

struct ProgramsTests {
    private static let shell = URL(filePath: "/bin/sh")

    @Test("The lines of both streams are read, input is written, and the exit code is returned")
    func lines() async throws {
        let program = try await RunningProgram.start(
            Self.shell, ["-c", "read a; read b; echo \"$a\"; echo \"$NAME\"; printf \"$b\" >&2; exit 7"],
            environment: ["NAME": "é"])
        try await program.write("one\ntwo")
        try await program.closeInput()
        #expect(await program.output.reduce(into: []) { $0.append($1) } == ["one", "é"])
        #expect(await program.errors.reduce(into: []) { $0.append($1) } == ["two"])
        #expect(try await program.end() == .exited(7))
    }

    @Test("A wait for a program that ignores SIGTERM can be cancelled; a kill waits for its end even in a cancelled task")
    func stubborn() async throws {
        let program = try await RunningProgram.start(Self.shell, ["-c", "trap '' TERM; echo ready; exec cat"])
        #expect(await program.output.first { $0 == "ready" } != nil)
        program.send(SIGTERM)
        let waiting = Task { try await program.end() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let killing = Task { await program.kill() }
        killing.cancel()
        await killing.value
        #expect(try await program.end() == .killed(by: SIGKILL))
    }

    @Test("Lines of any length are read")
    func longLine() async throws {
        let program = try await RunningProgram.start(
            Self.shell, ["-c", "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end"])
        #expect(await program.output.reduce(into: []) { $0.append($1.count) } == [1_000_000, 3])
        #expect(try await program.end() == .exited(0))
    }

    @Test("A program is killed when it is released")
    func released() async throws {
        var program: RunningProgram? = try await RunningProgram.start(Self.shell, ["-c", "exec cat"])
        let output = try #require(program?.output)
        program = nil
        // The stream ends when the program does, which still waits for input.
        #expect(await output.first { _ in true } == nil)
    }

    @Test("A program that does not exist is an error")
    func missing() async {
        await #expect(throws: (any Error).self) { try await RunningProgram.start(URL(filePath: "/nonexistent/program")) }
    }

    @Test("A program that runs to its end gets its input, and its output is returned with how it ended")
    func finished() async throws {
        let copied = try await FinishedProgram.run(Self.shell, ["-c", "cat; echo bad >&2"], input: "text")
        #expect((copied.text, copied.errors, copied.end) == ("text", "bad\n", .exited(0)))
        let killed = try await FinishedProgram.run(Self.shell, ["-c", "kill -9 $$"])
        #expect(killed.end == .killed(by: SIGKILL))
    }

    @Test("The programs of a build are found from its tests")
    func built() throws {
        let tests = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
        #expect(try BuiltProgram.url(tests.lastPathComponent) == tests)
        #expect(throws: CocoaError.self) { try BuiltProgram.url("no-such-program") }
    }

    @Test("The relay's URL is read from the line that it logs when it is listening, and from no other")
    func relayURL() {
        let line = "2027-01-15T08:00:00Z info relay: address=http://a, database=/b \"listening on http://127.0.0.1:8377\", more"
        #expect(RelayProgram.url(in: line)?.absoluteString == "http://127.0.0.1:8377")
        #expect(RelayProgram.url(in: "stopped listening, see http://127.0.0.1:1") == nil)
    }
}
