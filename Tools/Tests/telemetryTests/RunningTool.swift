import Foundation

/// The built tool while it runs.
final class RunningTool: Sendable {
    let output: Lines
    let errors: Lines
    private let process: Process
    private let input: FileHandle

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = ToolProcess.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        input = pipes.input.fileHandleForWriting
        try process.run()
        output = Lines(pipes.output.fileHandleForReading)
        errors = Lines(pipes.errors.fileHandleForReading)
    }

    func write(_ text: String) throws { try input.write(contentsOf: Data(text.utf8)) }

    func closeInput() { try? input.close() }

    func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    /// Ends it as a crash would.
    func kill() { send(SIGKILL) }

    /// How it ended.
    var reason: Process.TerminationReason { process.terminationReason }

    /// Asks it to end, as ^C does.
    func interrupt() { send(SIGINT) }

    func ended() async {
        while await output.next() != nil {}
        process.waitUntilExit()
    }

    /// The exit code of a tool that has ended; nil where a signal ended it.
    var code: Int32? { process.terminationReason == .exit ? process.terminationStatus : nil }

    /// Lines as they come.
    final class Lines: Sendable {
        private let stream: AsyncStream<String>

        init(_ handle: FileHandle) {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            self.stream = stream
            Thread {
                var rest = Data()
                while case let piece = handle.availableData, !piece.isEmpty {
                    rest += piece
                    while let end = rest.firstIndex(of: 0x0A) {
                        let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                        continuation.yield(line.hasSuffix("\r") ? String(line.dropLast()) : line)
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }.start()
        }

        func next() async -> String? {
            for await line in stream { return line }
            return nil
        }

        /// The first line from here on that fulfils the condition; nil where the process ends before.
        func first(where condition: (String) -> Bool) async throws -> String? {
            while let line = await next() {
                if condition(line) { return line }
            }
            return nil
        }
    }
}
