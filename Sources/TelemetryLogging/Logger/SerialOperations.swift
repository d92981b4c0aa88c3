/// Lets an actor's operations that suspend follow one another, in the order in which they were called.
struct SerialOperations {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// True if the caller may begin at once; otherwise it must ``wait(_:)``.
    mutating func begin() -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Hands over to the next operation; it is busy from then on.
    mutating func end() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
