import Foundation

/// A running process of the example.
final class HostProcess: Sendable {
    let lines: AsyncStream<String>
    private let process = Process()
    private let input = Pipe()

    /// - Parameter folder: A folder of the test, where the host keeps its state.
    init(_ arguments: [String], in folder: URL, environment: [String: String] = [:]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_STATE_HOME": folder.appending(path: "state").path]) { _, own in own }
            .merging(environment) { _, own in own }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        let handle = output.fileHandleForReading
        Thread {
            var rest = Data()
            while case let piece = handle.availableData, !piece.isEmpty {
                rest += piece
                while let end = rest.firstIndex(of: 0x0A) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }.start()
    }

    func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The next line with this text, or nil if the program ends first.
    func line(with text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    func end(by signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        return status()
    }

    /// Waits for the end of the process.
    func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    private static var executable: URL {
        var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let host = folder.appending(path: "notes-host")
            if FileManager.default.isExecutableFile(atPath: host.path) { return host }
        }
        return URL(fileURLWithPath: "notes-host")
    }
}
