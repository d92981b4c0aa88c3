public import Foundation

/// A directory for one round, removed on deinitialization.
public final class Scratch: Sendable {
    public let url: URL

    /// Creates the directory in the environment's `BENCHMARK_DIRECTORY`, or in the temporary directory.
    public init() throws {
        let environment = ProcessInfo.processInfo.environment["BENCHMARK_DIRECTORY"]
        let parent = environment.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        url = parent.appending(path: "telemetry-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The total size of the files in the directory, in bytes.
    public func bytes() -> Int {
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: [.fileSizeKey])
        var total = 0
        while let file = files?.nextObject() as? URL {
            total += (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
        }
        return total
    }
}
