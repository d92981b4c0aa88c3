public import Foundation

/// A directory for one round, removed when nobody needs it any more.
public final class Scratch: Sendable {
    public let url: URL

    /// Makes the directory where the environment's BENCHMARK_DIRECTORY says, else in the temporary directory.
    public init() throws {
        let environment = ProcessInfo.processInfo.environment["BENCHMARK_DIRECTORY"]
        let parent = environment.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        url = parent.appending(path: "telemetry-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The bytes of all files in the directory.
    public func bytes() -> Int {
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: [.fileSizeKey])
        var total = 0
        while let file = files?.nextObject() as? URL {
            total += (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
        }
        return total
    }
}
