import Foundation

/// A running process of the tool.
final class RunningTool: Sendable {
    let output: Lines
    let errors: Lines
    private let process: ChildProcess

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let inherited = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": ToolProcess.noConfiguration]) { $1 }
        process = try ChildProcess(arguments, environment: inherited.merging(environment) { _, own in own })
        output = Lines(process.output)
        errors = Lines(process.errors)
    }

    func write(_ text: String) throws { try process.input?.write(contentsOf: Data(text.utf8)) }

    func closeInput() { try? process.input?.close() }

    func send(_ signal: Int32) { process.send(signal) }

    /// Kills the process.
    func kill() { send(SIGKILL) }

    /// Interrupts the process, as ^C does.
    func interrupt() { send(SIGINT) }

    /// Reads the rest of the output, and waits until the process has ended.
    @discardableResult
    func ended() async -> ChildProcess.Exit {
        while await output.next() != nil {}
        return await process.exit()
    }

    /// Lines of output as they arrive.
    final class Lines: Sendable {
        private let stream: AsyncStream<String>

        init(_ handle: FileHandle?) {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            self.stream = stream
            guard let handle else {
                continuation.finish()
                return
            }
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
