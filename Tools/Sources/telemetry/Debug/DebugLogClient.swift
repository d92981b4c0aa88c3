import ArgumentParser
import Foundation
@_spi(Tooling) import TelemetryHTTP
import ViewerKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The options that select the relay.
struct DebugLogOptions: ParsableArguments {
    @Option(help: "The relay's address. Default: TELEMETRY_DEBUG_URL. The token is read from TELEMETRY_DEBUG_TOKEN.")
    var relay: String?

    func client(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> DebugLogClient {
        let address = relay ?? environment["TELEMETRY_DEBUG_URL"] ?? "http://127.0.0.1:8377"
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw ValidationError("\"\(address)\" is not a valid address. Example: http://127.0.0.1:8377.")
        }
        return DebugLogClient(base: url, token: environment["TELEMETRY_DEBUG_TOKEN"])
    }
}

/// Reads debug entries from a relay.
struct DebugLogClient: Sendable {
    struct Page: Sendable, Equatable {
        let entries: [DebugLogLine]
        let cursor: String
        let hasMore: Bool
        let newest: String

        init(_ body: Data) throws {
            guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
                let entries = object["entries"] as? [Any], let cursor = object["cursor"] as? String,
                let newest = object["newest"] as? String, let hasMore = object["has_more"] as? Bool
            else { throw ToolFailure(.data, "The response is not from a relay.") }
            self.entries = try entries.map(DebugLogLine.init)
            self.cursor = cursor
            self.hasMore = hasMore
            self.newest = newest
        }

        /// Whether the relay cannot have issued the cursor, because it lost its entries and restarted its numbering.
        func isOlder(than cursor: String?) -> Bool {
            guard let requested = cursor.flatMap({ Int64($0) }), let newest = Int64(newest) else { return false }
            return newest < requested
        }
    }

    private static let maximumResponseBytes = 256 << 20

    let base: URL
    let token: String?

    func page(
        _ items: [URLQueryItem], cursor: String? = nil, newestFirst: Bool = false, limit: Int, wait: Int? = nil
    ) async throws -> Page {
        let request = request(items, cursor: cursor, newestFirst: newestFirst, limit: limit, wait: wait)
        let response: HTTPMessages.Response
        do {
            response = try await HTTPMessages.send(
                request, timeout: .seconds(20 + (wait ?? 0)), limit: Self.maximumResponseBytes)
        } catch {
            try Task.checkCancellation()
            throw ToolFailure(.unavailable, "No relay is reachable at \(base.absoluteString).")
        }
        switch response.status {
        case 200: return try Page(response.body)
        case 400:
            let object = try? JSONSerialization.jsonObject(with: response.body) as? [String: Any]
            throw ToolFailure(.data, "The relay rejected the request: \(object?["error"] as? String ?? "status 400")")
        case 401: throw ToolFailure(.noPermission, "The relay requires a token; set TELEMETRY_DEBUG_TOKEN.")
        default: throw ToolFailure(.unavailable, "The relay responded with status \(response.status).")
        }
    }

    /// - Parameter wait: The number of seconds that the relay may wait for an entry if there is none.
    func request(
        _ items: [URLQueryItem], cursor: String?, newestFirst: Bool, limit: Int, wait: Int? = nil
    ) -> URLRequest {
        var components = URLComponents(url: base.appending(path: "debug/logs"), resolvingAgainstBaseURL: true)
        let paging = [
            URLQueryItem(name: "limit", value: "\(limit)"), URLQueryItem(name: "order", value: newestFirst ? "desc" : "asc"),
        ]
        let position = [("cursor", cursor), ("wait", wait.map(String.init))].compactMap { name, value in
            value.map { URLQueryItem(name: name, value: $0) }
        }
        components?.queryItems = items + paging + position
        // Servers decode a plus in a query as a space, and URLComponents does not escape it.
        let query = components?.percentEncodedQuery?.replacing("+", with: "%2B")
        components?.percentEncodedQuery = query
        var request = URLRequest(url: components?.url ?? base)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }
}
