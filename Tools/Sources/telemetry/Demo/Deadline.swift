import ViewerKit

/// Awaits something that must happen soon; a demo that hangs shows nothing.
/// - Throws: ``ViewerKit/ToolFailure`` where it does not within a minute.
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
            throw ToolFailure(.failed, "Waited a minute in vain for this: \(what).")
        }
        return result
    }
}
