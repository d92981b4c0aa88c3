#if DEBUG
public import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Posts batches to `<base>/debug/logs` in its own session, not through the host's client, so that sending a log is not logged
/// itself.
///
/// Errors become a ``DebugLogShipment``; none are thrown to the host.
public actor DebugLogShipper: DebugLogShipping {
    private nonisolated let endpoint: URL
    private nonisolated let token: String?
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - baseURL: the server's URL, without `/debug/logs`.
    ///   - token: the bearer token; nil for none.
    ///   - timeout: the maximum duration of a request, from connecting to the end of the response.
    ///   - clock: measures the timeout.
    public init(
        baseURL: URL, token: String? = nil, timeout: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.endpoint = baseURL.appending(path: "debug/logs")
        self.token = token
        self.timeout = timeout
        self.clock = clock
    }

    public func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        guard !entries.isEmpty else { return .stored }
        do {
            return try await exchange(try request(for: entries)).shipment(of: entries.count)
        } catch let error as EncodingError {
            return .rejected("the batch cannot be encoded: \(error)")
        } catch {
            return .failed(Self.description(of: error))
        }
    }

    /// Returns the POST request with the entries, in their order: `{"entries": […]}`.
    nonisolated func request(for entries: [DebugLogEntry]) throws -> URLRequest {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.httpBody = try JSONEncoder().encode(DebugLogUpload(entries: entries))
        return request
    }

    private func exchange(_ request: URLRequest) async throws -> DebugLogReply {
        // The session's own timers do not suffice, because every received byte restarts the request timer.
        try await withThrowingTaskGroup(of: DebugLogReply.self) { [timeout, clock] group in
            group.addTask { try await DebugLogConnection.shared.reply(to: request) }
            group.addTask {
                try await clock.sleep(for: timeout)
                throw DebugLogTimeout(limit: timeout)
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    private static func description(of error: any Error) -> String {
        if let error = error as? DebugLogTimeout { return "no answer within \(error.limit)" }
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }
}

/// The body of a request.
struct DebugLogUpload: Encodable {
    let entries: [DebugLogEntry]
}

private struct DebugLogTimeout: Error {
    let limit: Duration
}
#endif
