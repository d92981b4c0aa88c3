import Foundation

/// A running process of the tool.
final class RunningTool: Sendable {
    let output: Lines
    let errors: Lines
    private let process: Process
    private let input: FileHandle

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = ToolProcess.executable
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": ToolProcess.noConfiguration]) { $1 }
        process.environment = inherited.merging(environment) { _, own in own }
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

    /// Kills the process.
    func kill() { send(SIGKILL) }

    /// The termination status.
    var reason: Process.TerminationReason { process.terminationReason }

    /// Interrupts the process, as ^C does.
    func interrupt() { send(SIGINT) }

    func ended() async {
        while await output.next() != nil {}
        process.waitUntilExit()
    }

    /// The exit code, or nil if a signal ended the process.
    var code: Int32? { process.terminationReason == .exit ? process.terminationStatus : nil }

    /// Lines of output as they arrive.
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

        /// The next line that satisfies the condition, or nil if the process ends first.
        func first(where condition: (String) -> Bool) async throws -> String? {
            while let line = await next() {
                if condition(line) { return line }
            }
            return nil
        }
    }
}
