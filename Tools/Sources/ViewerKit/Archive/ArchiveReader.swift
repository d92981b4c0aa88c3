public import Foundation

/// Reads and parses parts of an archive on all cores, while the caller handles those before them.
public struct ArchiveReader: Sendable {
    private let parts: ArchiveParts
    /// How many parts are read before they are needed, which limits the memory.
    private let readAhead: Int

    public init(_ parts: ArchiveParts, readAhead: Int = ProcessInfo.processInfo.activeProcessorCount + 2) {
        self.parts = parts
        self.readAhead = max(readAhead, 1)
    }

    /// Calls the body with the lines of each part, in the file's order.
    /// - Parameter body: Receives the lines, and the offset in the file up to which it was handled with them.
    /// - Throws: The errors of the body and of ``ArchiveParts/read(_:)``. The lines before the error were passed to the body.
    public func forEachPart(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ lines: [StoreArchive.Lines], _ position: Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Result<[StoreArchive.Lines], any Error>).self) { group in
            var parsed: [Int: Result<[StoreArchive.Lines], any Error>] = [:]
            var started = 0
            for part in 0..<parts.count {
                while started < min(parts.count, part + readAhead) {
                    group.addTask { [parts, started] in (started, Result { try Self.lines(of: parts, started) }) }
                    started += 1
                }
                while parsed[part] == nil, let (number, lines) = try await group.next() { parsed[number] = lines }
                guard let lines = try parsed.removeValue(forKey: part)?.get() else { return }
                try await body(lines, parts.end(of: part))
            }
        }
    }

    private static func lines(of parts: ArchiveParts, _ part: Int) throws -> [StoreArchive.Lines] {
        let (bytes, lines) = try parts.read(part)
        return StoreArchive.read(bytes, in: lines)
    }
}
