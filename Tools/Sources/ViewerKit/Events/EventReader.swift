import TelemetryModels
public import TelemetryTransport

/// Reads a store's events page by page, and tells where it stands.
public struct EventReader: Sendable {
    private static let pageSize = 2_000

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter

    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter) {
        self.transport = transport
        self.filter = filter
    }

    /// Hands over every event that is stored after the cursor, oldest first, and then, where it follows, what arrives, until
    /// its task is cancelled or the handler says that it has enough.
    /// - Returns: Where the last page that was handed over ended.
    @discardableResult
    public func read(
        after start: TelemetryCursor?, following: Bool, isolation: isolated (any Actor)? = #isolation,
        handle: (TelemetryEventPage) async throws -> Bool
    ) async throws -> TelemetryCursor? {
        // Asked for before the first page, so that what arrives in between is hinted at.
        let arrivals = following ? transport.eventArrivals() : nil
        var cursor = start
        var ahead: Task<TelemetryEventPage, any Error>?
        defer { ahead?.cancel() }
        while !Task.isCancelled {
            let page =
                if let ahead { try await ahead.value } else {
                    try await transport.events(matching: filter, after: cursor, limit: Self.pageSize)
                }
            cursor = page.cursor
            // The next page is read while this one is dealt with.
            ahead = page.hasMore ? reading(after: page.cursor) : nil
            guard try await handle(page) else { return cursor }
            if page.hasMore { continue }
            guard let arrivals, await hint(from: arrivals) else { return cursor }
        }
        return cursor
    }

    private func reading(after cursor: TelemetryCursor) -> Task<TelemetryEventPage, any Error> {
        Task { try await transport.events(matching: filter, after: cursor, limit: Self.pageSize) }
    }

    private func hint(from arrivals: AsyncStream<Void>) async -> Bool {
        for await _ in arrivals { return true }
        return false
    }
}
