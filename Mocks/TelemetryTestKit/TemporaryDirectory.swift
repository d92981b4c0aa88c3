public import Foundation

/// The path of a test's directory, which is removed with its contents at the end.
@_spi(Tooling) public final class TemporaryDirectory: Sendable {
    public let url = FileManager.default.temporaryDirectory.appending(path: "live-telemetry-\(UUID().uuidString)")

    public init() {}

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Runs the body with the path of a directory, which is removed with its contents afterwards.
/// - Parameter isCreated: Whether the directory exists, or only its path is chosen.
@_spi(Tooling) public func withTemporaryDirectory<Result>(
    isCreated: Bool = false, isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    if isCreated { try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true) }
    return try await body(directory.url)
}
