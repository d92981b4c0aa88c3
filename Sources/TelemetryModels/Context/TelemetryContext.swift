/// What a task works on: the user whose request it serves, the request's identifier.
///
/// Child tasks inherit the values; a detached task has none. A scenario with context conditions records only the events of tasks
/// whose context fulfils them. The values are not recorded themselves.
public enum TelemetryContext {
    @TaskLocal package static var values: ContextValues?

    /// The values of the current task; empty outside ``with(_:operation:)``.
    public static var current: [String: String] { values?.byName ?? [:] }

    /// Runs an operation with additional values. Of values with the same name, the inner one is in effect.
    public static func with<Result>(_ values: [String: String], operation: () throws -> Result) rethrows -> Result {
        try $values.withValue(ContextValues(current, adding: values), operation: operation)
    }

    /// Runs an operation with additional values, on the caller's actor. Of values with the same name, the inner one is in effect.
    public static func with<Result>(
        _ values: [String: String], isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $values.withValue(ContextValues(current, adding: values), operation: operation)
    }
}
