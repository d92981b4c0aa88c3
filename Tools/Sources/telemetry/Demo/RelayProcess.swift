import Foundation
import Synchronization
import ViewerKit

/// One run of `telemetry-relay`.
final class RelayProcess: Sendable {
    /// The number of the newest lines to keep for an error message.
    private static let keptLines = 5

    let identifier: Int32
    private let process: Process
    private let lines: AsyncStream<String>
    private let newest = Mutex<[String]>([])
    private let exits: AsyncStream<Void>

    init(_ executable: URL, arguments: [String]) throws {
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = Self.environment
        // The relay must not read the demo's standard input.
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(256))
        self.lines = lines
        let (exits, exit) = AsyncStream.makeStream(of: Void.self)
        self.exits = exits
        process.terminationHandler = { _ in exit.finish() }
        try process.run()
        identifier = process.processIdentifier
        read(errors.fileHandleForReading, into: line)
    }

    /// Returns the URL that the relay logs when it is listening.
    /// - Throws: ``ViewerKit/ToolFailure`` if the relay ends first.
    func listening() async throws -> URL {
        for await line in lines where line.contains("listening") {
            guard let start = line.range(of: "http://") else { continue }
            let address = line[start.lowerBound...].prefix { !$0.isWhitespace && $0 != "\"" && $0 != "," }
            if let url = URL(string: String(address)) { return url }
        }
        try Task.checkCancellation()
        let last = newest.withLock { $0.joined(separator: " ") }
        throw ToolFailure(.failed, "The relay ended early. \(last.isEmpty ? "It gave no reason." : last)")
    }

    /// Kills the relay, without cleanup.
    func kill() { _ = SystemSignal.send(SIGKILL, to: identifier) }

    /// Sends SIGTERM to the relay.
    func terminate() { _ = SystemSignal.send(SIGTERM, to: identifier) }

    func ended() async {
        for await _ in exits {}
        process.waitUntilExit()
    }

    /// The environment without settings for another relay, which would apply to this one, too.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TELEMETRY_RELAY_") }
    }

    private func read(_ handle: FileHandle, into continuation: AsyncStream<String>.Continuation) {
        // Reading blocks, so it runs on a separate thread. The whole log is read, so that the relay never blocks.
        Thread { [self] in
            var rest = Data()
            while case let piece = handle.availableData, !piece.isEmpty {
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    newest.withLock { newest in
                        newest.append(line)
                        if newest.count > Self.keptLines { newest.removeFirst() }
                    }
                    continuation.yield(line)
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }.start()
    }
}
