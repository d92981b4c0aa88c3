/// A task that is cancelled when its owner releases it.
final class OwnedTask: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }

    /// Cancels the task and returns when it has ended.
    func end() async {
        task.cancel()
        await task.value
    }
}
