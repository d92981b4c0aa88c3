import Foundation
@_spi(Tooling) import TelemetryHTTP

/// Reads and changes a relay's alerts.
public struct RelayAlerts: Sendable {
    private static let timeout = Duration.seconds(30)
    private let location: RelayLocation

    public init(_ location: RelayLocation) { self.location = location }

    /// All alerts that the token sees, sorted by name.
    /// - Throws: ``ToolFailure``
    public func all() async throws -> [RelayAlert] {
        let response = try await send("GET", [])
        guard let object = try? JSONSerialization.jsonObject(with: response.body) as? [String: Any],
            let objects = object["alerts"] as? [[String: Any]]
        else { throw location.foreign(response.status) }
        return objects.compactMap(RelayAlert.init)
    }

    /// Adds an alert, or replaces the one with this name.
    /// - Throws: ``ToolFailure``
    public func save(_ alert: RelayAlert) async throws { _ = try await send("PUT", [alert.name], body: alert.body) }

    /// - Throws: ``ToolFailure``
    public func remove(_ name: String) async throws { _ = try await send("DELETE", [name]) }

    /// Makes the relay send a message without events.
    /// - Throws: ``ToolFailure``
    public func test(_ name: String) async throws { _ = try await send("POST", [name, "test"]) }

    private func send(_ method: String, _ path: [String], body: Data? = nil) async throws -> HTTPMessages.Response {
        let response: HTTPMessages.Response
        do {
            response = try await location.send(method, ["v1", "alerts"] + path, body: body, timeout: Self.timeout)
        } catch {
            try Task.checkCancellation()
            throw location.unreachable(error.localizedDescription)
        }
        guard (200..<300).contains(response.status) else { throw failure(response, isNamed: !path.isEmpty) }
        return response
    }

    private func failure(_ response: HTTPMessages.Response, isNamed: Bool) -> ToolFailure {
        let detail = RelayProbe.detail(response.body)
        let reason = detail.map { " The relay's message: \($0.visible)" } ?? ""
        switch response.status {
        case 400, 409, 413: return ToolFailure(.data, "The relay rejected the alert.\(reason)")
        case 401: return location.refused(detail)
        case 403:
            return ToolFailure(
                .noPermission,
                "The \(location.tokenName) cannot do this: alerts are listed with the role viewer or reader, and changed with the "
                    + "role viewer.\(reason)")
        case 404 where isNamed && detail != nil: return ToolFailure(.notFound, detail?.visible ?? "")
        case 404 where detail != nil:
            return ToolFailure(
                .unavailable, "The relay at \(location.url.absoluteString.visible) has no alerts: update the relay.")
        case 429, 500...:
            return ToolFailure(.unavailable, "The relay responded with status \(response.status).\(reason)")
        default: return location.foreign(response.status)
        }
    }
}
