#if DEBUG
public import Foundation

/// The identifier that correlates the log entries of several processes for one operation.
public enum DebugCorrelation {
    /// The request header that carries it.
    public static let headerField = "X-Correlation-ID"

    /// The identifier of the current operation of this task or the task that created it; nil outside an operation.
    @TaskLocal public static var current: UUID?

    /// Runs an operation with one identifier, which every entry logged and every request sent in it has.
    ///
    /// Within another operation, a given identifier replaces the outer one; without one, the outer identifier is used.
    public static func operation<Result>(
        _ id: UUID? = nil, isolation: isolated (any Actor)? = #isolation, _ body: (UUID) async throws -> Result
    ) async rethrows -> Result {
        let id = id ?? current ?? UUID()
        return try await $current.withValue(id) { try await body(id) }
    }
}
#endif
