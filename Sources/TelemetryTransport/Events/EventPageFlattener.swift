import TelemetryModels

/// Returns the events of pages one by one, and requests the next page when none are left.
actor EventPageFlattener {
    private let pages: AsyncThrowingStream<TelemetryEventPage, any Error>
    private var pending: ArraySlice<TelemetryEvent> = []

    init(_ pages: AsyncThrowingStream<TelemetryEventPage, any Error>) { self.pages = pages }

    /// The next event; nil when the pages have ended.
    func next() async throws -> TelemetryEvent? {
        while pending.isEmpty {
            var iterator = pages.makeAsyncIterator()
            guard let page = try await iterator.next() else { return nil }
            pending = page.events[...]
        }
        return pending.popFirst()
    }
}
