#if DEBUG
public import Foundation

/// The identifier that ties together what several processes log about one operation.
public enum DebugCorrelation {
    /// The request header that carries it.
    public static let headerField = "X-Correlation-ID"

    /// The identifier of the operation that this task, or the one that created it, works on; nil outside any.
    @TaskLocal public static var current: UUID?

    /// Runs an operation under one identifier: every entry logged and every request sent in it carries the same.
    ///
    /// Inside another operation the identifier given counts, and where none is given, the outer one's goes on.
    public static func operation<Result>(
        _ id: UUID? = nil, isolation: isolated (any Actor)? = #isolation, _ body: (UUID) async throws -> Result
    ) async rethrows -> Result {
        let id = id ?? current ?? UUID()
        return try await $current.withValue(id) { try await body(id) }
    }
}
#endif
