import Foundation
import Synchronization

/// A process that a test starts.
///
/// Processes are started one after another. On Linux Foundation lists the descriptors that a child must not inherit before it
/// calls `posix_spawn`; a pipe that another thread opens in between would stay open in the child, and the pipe's reader would
/// wait until the unrelated process ends.
///
/// The end of the process is awaited, because `waitUntilExit` blocks a thread of the cooperative pool, which has as many threads
/// as the machine has cores.
final class ChildProcess: Sendable {
    /// The kind of a standard stream.
    enum Stream {
        case pipe, inherited
        case file(FileHandle)
    }

    struct Exit: Equatable {
        let reason: Process.TerminationReason
        let status: Int32

        /// The exit code, or nil if a signal ended the process.
        var code: Int32? { reason == .exit ? status : nil }
    }

    let input: FileHandle?
    let output: FileHandle?
    let errors: FileHandle?

    private static let starting = Mutex(())
    private let process: Process
    private let end: AsyncStream<Void>

    init(
        _ arguments: [String], executable: URL = ToolProcess.executable, environment: [String: String], input: Stream = .pipe,
        output: Stream = .pipe, errors: Stream = .pipe
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        (self.input, self.output, self.errors) = try Self.starting.withLock { _ in
            func open(_ stream: Stream, _ set: (Any) -> Void) -> Pipe? {
                switch stream {
                case .inherited: return nil
                case .file(let handle):
                    set(handle)
                    return nil
                case .pipe:
                    let pipe = Pipe()
                    set(pipe)
                    return pipe
                }
            }
            let input = open(input) { process.standardInput = $0 }
            let output = open(output) { process.standardOutput = $0 }
            let errors = open(errors) { process.standardError = $0 }
            try process.run()
            return (input?.fileHandleForWriting, output?.fileHandleForReading, errors?.fileHandleForReading)
        }
        self.process = process
        self.end = end
    }

    func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    /// Waits until the process has ended.
    func exit() async -> Exit {
        for await _ in end {}
        return Exit(reason: process.terminationReason, status: process.terminationStatus)
    }

    /// Reads until the other end closes, on a separate thread because reading blocks.
    static func text(from handle: FileHandle?) async -> String {
        guard let handle else { return "" }
        return await withCheckedContinuation { continuation in
            Thread {
                let data = (try? handle.readToEnd()) ?? nil
                continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
            }.start()
        }
    }
}
