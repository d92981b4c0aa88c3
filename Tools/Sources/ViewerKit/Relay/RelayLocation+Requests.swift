import Foundation
@_spi(Tooling) import TelemetryHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RelayLocation {
    /// Sends a GET request.
    /// - Parameters:
    ///   - path: The route, without a slash at its beginning.
    ///   - query: Names and values, not encoded. A name may occur more than once.
    ///   - token: The token to send; nil for none.
    /// - Throws: As `HTTPMessages.send` does.
    func get(
        _ path: String, _ query: [(name: String, value: String)] = [], token: AccessToken?, timeout: Duration,
        limit: Int = 1 << 20
    ) async throws -> HTTPMessages.Response {
        var components = URLComponents(url: url.appending(path: path), resolvingAgainstBaseURL: true)
        if !query.isEmpty {
            components?.percentEncodedQuery = query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        }
        return try await send(URLRequest(url: components?.url ?? url), token: token, timeout: timeout, limit: limit)
    }

    /// Sends a request with the relay's token.
    /// - Parameters:
    ///   - path: The parts of the path, not encoded.
    ///   - body: JSON; nil for none.
    /// - Throws: As `HTTPMessages.send` does.
    func send(
        _ method: String, _ path: [String], body: Data? = nil, timeout: Duration
    ) async throws -> HTTPMessages.Response {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.percentEncodedPath += path.map { "/\(Self.encoded($0))" }.joined()
        var request = URLRequest(url: components?.url ?? url)
        request.httpMethod = method
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try await send(request, token: token, timeout: timeout)
    }

    private func send(
        _ request: URLRequest, token: AccessToken?, timeout: Duration, limit: Int = 1 << 20
    ) async throws -> HTTPMessages.Response {
        var request = request
        if let token { request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization") }
        return try await HTTPMessages.send(request, timeout: timeout, limit: limit)
    }

    private static func encoded(_ value: String) -> String {
        var unreserved = CharacterSet.alphanumerics
        unreserved.formIntersection(CharacterSet(charactersIn: Unicode.Scalar(0)..."\u{7F}"))
        unreserved.insert(charactersIn: "-._~")
        return value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
