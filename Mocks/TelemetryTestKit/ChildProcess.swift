#if os(Linux) || os(macOS)
public import Foundation
import Synchronization

/// A program that a test starts and kills. Its output can be read; its errors are discarded.
///
/// Foundation's `Process` has crashed when several threads were starting processes, and keeps descriptors open for too long for
/// thousands of them.
@_spi(Tooling) public struct ChildProcess: ~Copyable {
    public struct NotStarted: Error { public let number: Int32 }

    private let identifier: pid_t
    private let output: Int32

    /// One start at a time, so that no process inherits the pipe of another before it is closed on exec.
    private static let starts = Mutex(())

    /// - Parameter pipeBytes: The size of the pipe on Linux, so that the process is never further ahead of its reader.
    public init(_ program: URL, _ arguments: [String], pipeBytes: Int32? = nil) throws {
        (identifier, output) = try Self.starts.withLock { _ in try Self.start(program.path, arguments, pipeBytes) }
    }

    private static func start(_ path: String, _ arguments: [String], _ pipeBytes: Int32?) throws -> (pid_t, Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(number: errno) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        // F_SETPIPE_SZ, which Glibc's module lacks.
        if let pipeBytes { _ = fcntl(ends[1], 1_031, pipeBytes) }
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let number = posix_spawn(&identifier, path, &actions, nil, &words, environ)
        guard number == 0 else {
            close(ends[0])
            throw NotStarted(number: number)
        }
        return (identifier, ends[0])
    }

    /// What the process printed next; nil at the end. Blocks until there is something.
    public func read(atMost count: Int = 4_096) -> Data? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let count = Foundation.read(output, &buffer, buffer.count)
            if count > 0 { return Data(buffer[..<count]) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Kills the process, and waits for its end. Returns what it had printed, and whether it was killed instead of ending before.
    public consuming func kill() -> (output: Data, wasKilled: Bool) {
        Foundation.kill(identifier, SIGKILL)
        var data = Data()
        while let more = read() { data += more }
        close(output)
        let status = wait()
        // A status whose lower bits are those of a signal; the macro WTERMSIG is not imported.
        return (data, status & 0x7f == SIGKILL)
    }

    /// Waits until the process has ended by itself, and returns what it had printed, which its pipe must have room for. A child of its own,
    /// such as Swift's backtracer, may still have the pipe.
    public consuming func end() -> Data {
        _ = wait()
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        var data = Data()
        while let more = read() { data += more }
        close(output)
        return data
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// A program that was built with the tests.
    public static func built(_ name: String) -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: name)
    }

    /// Runs the body on a thread of its own: reading blocks, and tasks run on as few threads as the machine has cores.
    public static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }
}
#endif
