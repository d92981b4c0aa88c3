import Foundation

/// A running server of the example.
final class ServerProcess: Sendable {
    let lines: AsyncStream<String>
    private let process = Process()

    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = Self.folder.appending(path: program)
        process.arguments = ["--port", "0"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
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

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The next line with this text; nil if the program ends first.
    func line(with text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    /// The address from the server's line about it.
    func address() async -> URL? {
        await line(with: "listening on ").flatMap { URL(string: String($0.dropFirst("listening on ".count))) }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func end(by signal: Int32) -> Int32 {
        send(signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    /// The folder of the built programs.
    private static var folder: URL {
        var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if FileManager.default.isExecutableFile(atPath: folder.appending(path: "shop-server").path) { return folder }
        }
        return folder
    }
}
