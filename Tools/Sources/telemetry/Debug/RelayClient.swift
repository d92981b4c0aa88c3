import ArgumentParser
import Foundation
import ViewerKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which relay is asked, and with which token.
struct RelayOptions: ParsableArguments {
    @Option(help: "The relay's address; or TELEMETRY_DEBUG_URL. The token is in TELEMETRY_DEBUG_TOKEN.")
    var relay: String?

    func client(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> RelayClient {
        let address = relay ?? environment["TELEMETRY_DEBUG_URL"] ?? "http://127.0.0.1:8377"
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw ValidationError("\"\(address)\" is no address; write for example http://127.0.0.1:8377.")
        }
        return RelayClient(base: url, token: environment["TELEMETRY_DEBUG_TOKEN"])
    }
}

/// Reads debug entries from a relay.
struct RelayClient: Sendable {
    struct Page: Sendable, Equatable {
        let entries: [DebugLogLine]
        let cursor: String
        let hasMore: Bool
        let newest: String

        init(_ body: Data) throws {
            guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
                let entries = object["entries"] as? [Any], let cursor = object["cursor"] as? String,
                let newest = object["newest"] as? String, let hasMore = object["has_more"] as? Bool
            else { throw ToolFailure(.data, "What answered is no relay.") }
            self.entries = try entries.map(DebugLogLine.init)
            self.cursor = cursor
            self.hasMore = hasMore
            self.newest = newest
        }

        /// Whether a cursor is one that this relay cannot have given: it has lost its entries, and counts from the beginning.
        func isOlder(than cursor: String?) -> Bool {
            guard let asked = cursor.flatMap({ Int64($0) }), let newest = Int64(newest) else { return false }
            return newest < asked
        }
    }

    let base: URL
    let token: String?

    func page(
        _ items: [URLQueryItem], cursor: String? = nil, newestFirst: Bool = false, limit: Int, wait: Int? = nil
    ) async throws -> Page {
        let request = request(items, cursor: cursor, newestFirst: newestFirst, limit: limit, wait: wait)
        let (body, response): (Data, URLResponse)
        do {
            (body, response) = try await URLSession.shared.data(for: request)
        } catch {
            try Task.checkCancellation()
            throw ToolFailure(.unavailable, "No relay answers at \(base.absoluteString).")
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        switch status {
        case 200: return try Page(body)
        case 400:
            let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
            throw ToolFailure(.data, "The relay refused: \(object?["error"] as? String ?? "status 400")")
        case 401: throw ToolFailure(.noPermission, "The relay wants a token; set TELEMETRY_DEBUG_TOKEN.")
        default: throw ToolFailure(.unavailable, "The relay answered with status \(status).")
        }
    }

    /// - Parameter wait: so many seconds the relay may wait for an entry where it has none.
    func request(
        _ items: [URLQueryItem], cursor: String?, newestFirst: Bool, limit: Int, wait: Int? = nil
    ) -> URLRequest {
        var components = URLComponents(url: base.appending(path: "debug/logs"), resolvingAgainstBaseURL: true)
        let paging = [
            URLQueryItem(name: "limit", value: "\(limit)"), URLQueryItem(name: "order", value: newestFirst ? "desc" : "asc"),
        ]
        let place = [("cursor", cursor), ("wait", wait.map(String.init))].compactMap { name, value in
            value.map { URLQueryItem(name: name, value: $0) }
        }
        components?.queryItems = items + paging + place
        // Servers read a plus in a query as a space; URLComponents leaves it as it is.
        let query = components?.percentEncodedQuery?.replacing("+", with: "%2B")
        components?.percentEncodedQuery = query
        var request = URLRequest(url: components?.url ?? base)
        request.timeoutInterval = 20 + Double(wait ?? 0)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }
}
