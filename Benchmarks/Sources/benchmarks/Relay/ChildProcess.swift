import Foundation
import Measure

/// A child process whose output is read line by line. It is killed when this object is released.
final class ChildProcess: Sendable {
    enum Output { case standardOutput, standardError }

    let identifier: Int32
    private let process = Process()
    private let input = Pipe()
    private let lines: AsyncStream<String>

    init(_ executable: URL, _ arguments: [String], reading source: Output) throws {
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TELEMETRY_RELAY_") }
        process.standardInput = input
        switch source {
        case .standardOutput: process.standardOutput = output
        case .standardError: process.standardError = output
        }
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        identifier = process.processIdentifier
        let handle = output.fileHandleForReading
        // Reading blocks, so it runs on a separate thread.
        Thread {
            var rest = Data()
            while case let piece = handle.availableData, !piece.isEmpty {
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }.start()
    }

    deinit { kill(identifier, SIGKILL) }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The next line with this text.
    func line(with text: String) async throws -> String {
        for await line in lines where line.contains(text) { return line }
        throw Miscount(description: "a process ended before the line \"\(text)\"")
    }

    /// The process's resident memory; 0 if it is unknown.
    var residentBytes: Int {
        let statm = (try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The processor time that the process has used, in seconds; 0 if it is unknown.
    var processorSeconds: Double {
        let text = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
