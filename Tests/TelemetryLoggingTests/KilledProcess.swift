import Foundation
import Synchronization
import Testing

#if os(Linux) || os(macOS)
/// The process `TelemetryCrashLogger`, which logs until it is killed.
enum KilledProcess {
    /// Reading from a pipe blocks, so it needs threads of its own instead of the few that run tasks.
    static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// One start at a time: Foundation's has crashed while another thread was in it, too.
    private static let starts = Mutex(())

    /// Starts a process, kills it once it has printed some bytes, and returns its complete lines.
    static func run(_ arguments: [String], after moment: Int) throws -> [String] {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        #if os(Linux)
        // A small pipe, so that a process is never far ahead of the reader.
        _ = fcntl(output.fileHandleForWriting.fileDescriptor, Self.setPipeSize, 4_096)
        #endif
        try starts.withLock { _ in try process.run() }
        var bytes = Data()
        while bytes.count < moment, let chunk = try output.fileHandleForReading.read(upToCount: 64), !chunk.isEmpty {
            bytes += chunk
        }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // A line without a newline was not printed completely.
        return lines.dropLast().map(String.init)
    }

    /// `F_SETPIPE_SZ` of Linux, which Glibc's module lacks.
    private static let setPipeSize: Int32 = 1_031

    private static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: "TelemetryCrashLogger")
    }
}
#endif
