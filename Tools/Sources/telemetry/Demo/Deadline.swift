import ViewerKit

/// Awaits a condition with a time limit.
/// - Throws: ``ViewerKit/ToolFailure`` if the limit is exceeded.
func expecting<T: Sendable>(
    _ what: String, within limit: Duration = .seconds(60), _ operation: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() ?? nil else {
            throw ToolFailure(.failed, "Timed out after \(limit.components.seconds) s waiting for \(what).")
        }
        return result
    }
}
