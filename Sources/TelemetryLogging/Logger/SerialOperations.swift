/// Serializes operations of an actor that suspend, in the order of their calls.
struct SerialOperations {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whether the caller may begin now; otherwise it must ``wait(_:)``.
    mutating func begin() -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Ends the current operation and resumes the next one.
    mutating func end() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
