/// Reads a page, waiting if there is nothing to read.
struct PageWait: Sendable {
    let streams: StreamRegistry
    let clock: any Clock<Duration>

    /// Returns the first page that is not empty, or an empty one when the wait ends, the caller's token ends or the relay shuts down.
    /// - Parameters:
    ///   - time: zero does not wait.
    ///   - hints: follows arrivals; called before the first read, so that no arrival after it is missed.
    ///   - read: reads the page after the last one, or the first page.
    func page<Page>(
        within time: Duration, for caller: RelayCaller, hints: () -> AsyncStream<Void>, isEmpty: (Page) -> Bool,
        read: (_ last: Page?) async throws -> Page
    ) async throws -> Page {
        guard time > .zero else { return try await read(nil) }
        return try await streams.withSession(caller) { session in
            let hints = hints()
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await session.follow(hints) }
                group.addTask {
                    try? await clock.sleep(for: time)
                    session.end()
                }
                defer { group.cancelAll() }
                var found = try await read(nil)
                while isEmpty(found), !session.isEnded {
                    let signals = await session.next()
                    guard signals.isHinted else { continue }
                    found = try await read(found)
                }
                return found
            }
        }
    }
}
