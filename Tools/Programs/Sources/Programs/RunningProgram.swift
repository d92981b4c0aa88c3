public import Foundation
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that the demo, a test or a benchmark starts, and whose output it reads line by line. It is killed when this object is
/// released.
public final class RunningProgram: Sendable {
    /// The number of the process.
    public let identifier: Int32
    /// The lines that the program writes to its standard output, without line feeds; ends with the program. Of lines that nobody reads,
    /// the newest 65,536 are kept.
    public let output: AsyncStream<String>
    /// The lines of its standard error.
    public let errors: AsyncStream<String>

    private static let keptLines = 65_536

    private let input: StandardInputWriter
    /// Ends with the program.
    private let ends: AsyncStream<Never>
    private let run: Task<ProgramEnd, any Error>
    private let life: Life

    /// Whether signals may be sent: the number of an ended process may become that of another. It stays true for an instant after the
    /// end.
    private final class Life: Sendable {
        let isRunning = Mutex(true)
    }

    /// Starts a program. Cancelling the task does not prevent it.
    /// - Parameter environment: The variables that differ from those of this process; nil removes one.
    /// - Throws: `SubprocessError` if the program cannot be started.
    public static func start(
        _ executable: URL, _ arguments: [String] = [], environment: [String: String?] = [:]
    ) async throws -> RunningProgram {
        let (output, outputLine) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(keptLines))
        let (errors, errorLine) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(keptLines))
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let (starts, start) = AsyncStream.makeStream(of: (Int32, StandardInputWriter).self)
        let life = Life()
        let run = Task {
            defer {
                life.isRunning.withLock { $0 = false }
                for line in [outputLine, errorLine] { line.finish() }
                start.finish()
                end.finish()
            }
            let result = try await Subprocess.run(
                .path(FilePath(executable.path)), arguments: Arguments(arguments), environment: .inherit(except: environment),
                platformOptions: .ownGroup, input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                start.yield((execution.processIdentifier.value, execution.standardInputWriter))
                start.finish()
                async let ends: Void = read(execution.standardError, into: errorLine)
                try await read(execution.standardOutput, into: outputLine)
                try await ends
            }
            return ProgramEnd(result.terminationStatus)
        }
        // In a task of its own, which is not cancelled, so that no started program is left running.
        let started = Task { await starts.first { _ in true } }
        guard let (identifier, input) = await started.value else {
            _ = try await run.value
            throw CancellationError()
        }
        return RunningProgram(
            identifier: identifier, output: output, errors: errors, input: input, ends: ends, run: run, life: life)
    }

    private init(
        identifier: Int32, output: AsyncStream<String>, errors: AsyncStream<String>, input: StandardInputWriter,
        ends: AsyncStream<Never>, run: Task<ProgramEnd, any Error>, life: Life
    ) {
        (self.identifier, self.output, self.errors) = (identifier, output, errors)
        (self.input, self.ends, self.run, self.life) = (input, ends, run, life)
    }

    deinit { send(SIGKILL) }

    /// Writes the text to the program's standard input.
    /// - Throws: An error if the program does not read the whole text.
    public func write(_ text: String) async throws {
        guard try await input.write(text) == text.utf8.count else { throw POSIXError(.EPIPE) }
    }

    /// Closes the program's standard input.
    public func closeInput() async throws { try await input.finish() }

    /// Sends a signal if the program has not ended.
    public func send(_ signal: Int32) {
        life.isRunning.withLock { isRunning in
            if isRunning { Foundation.kill(identifier, signal) }
        }
    }

    /// Kills the program and waits until it has ended. Cancelling the task does not end the wait.
    public func kill() async {
        send(SIGKILL)
        _ = try? await run.value
    }

    /// Waits until the program has ended and closed its output, or until the task is cancelled. After a cancelled wait, the next
    /// ones cannot be cancelled.
    @discardableResult
    public func end() async throws -> ProgramEnd {
        for await _ in ends {}
        try Task.checkCancellation()
        return try await run.value
    }

    private static func read(_ pieces: SubprocessOutputSequence, into line: AsyncStream<String>.Continuation) async throws {
        for try await text in pieces.strings(separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded) {
            line.yield(text)
        }
        line.finish()
    }
}
