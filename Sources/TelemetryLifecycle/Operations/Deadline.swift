/// A moment on some clock by which an operation is to be done.
struct Deadline: Sendable {
    /// Whether the moment has come.
    let hasPassed: @Sendable () -> Bool
    /// Returns when the moment has come; throws when the calling task is cancelled.
    let wait: @Sendable () async throws -> Void

    init(in timeout: Duration, on clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: timeout)
        hasPassed = { clock.now >= end }
        wait = { try await clock.sleep(until: end, tolerance: nil) }
    }
}
