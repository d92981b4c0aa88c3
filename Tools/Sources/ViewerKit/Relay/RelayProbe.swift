import Foundation
@_spi(Tooling) import TelemetryHTTP

/// Requests a relay's description, to explain a failure or to check the relay.
public struct RelayProbe: Sendable {
    /// The result of `GET /v1/server`.
    public enum Outcome: Sendable, Equatable {
        case relay(RelayDescription)
        /// The relay rejected the token, or a request without one.
        case refused(detail: String?)
        /// The relay, or a proxy in front of it, is temporarily unable to respond.
        case failing(status: Int, detail: String?)
        /// The server is not a relay.
        case foreign(status: Int)
        case unreachable(reason: String)
    }

    /// The versions of the interface that this tool supports.
    static let versions = 1...2
    private static let timeout = Duration.seconds(10)
    private static let maximumBytes = 8 << 20

    private let location: RelayLocation

    public init(_ location: RelayLocation) { self.location = location }

    /// Requests the relay's description with the token.
    public func server() async -> Outcome {
        let start = Date()
        let answer: HTTPMessages.Response
        do { answer = try await get("v1/server") } catch { return .unreachable(reason: error.localizedDescription) }
        let (body, status) = (answer.body, answer.status)
        // The interval must not be negative if the clock was set back during the request.
        let request = DateInterval(start: start, duration: max(0, Date().timeIntervalSince(start)))
        switch status {
        case 200: return RelayDescription(body, request: request).map(Outcome.relay) ?? .foreign(status: status)
        case 401, 403: return .refused(detail: Self.detail(body))
        case 429, 500...: return .failing(status: status, detail: Self.detail(body))
        default: return .foreign(status: status)
        }
    }

    /// Whether the relay's storage is ready; nil if the relay cannot be reached.
    public func isReady() async -> Bool? {
        try? await location.get("readyz", token: nil, timeout: Self.timeout).status == 200
    }

    /// How much the relay stores of each scenario. Nil if the relay does not answer, or does not know: older ones do not.
    public func scenarioSizes() async -> [String?: RelayScenarioSize]? {
        guard let answer = try? await get("v1/events/scenarios"), answer.status == 200 else { return nil }
        return RelayScenarioSize.all(answer.body)
    }

    /// The response with the client's newest event; nil if the relay cannot be reached, or refuses the request.
    func newestEvent(ofClient client: String) async -> Data? {
        guard let answer = try? await get("v1/events", [("client", client), ("order", "desc"), ("limit", "1")]),
            answer.status == 200
        else { return nil }
        return answer.body
    }

    private func get(_ path: String, _ query: [(name: String, value: String)] = []) async throws -> HTTPMessages.Response {
        try await location.get(path, query, token: location.token, timeout: Self.timeout, limit: Self.maximumBytes)
    }

    /// The text of a problem document, RFC 9457.
    static func detail(_ body: Data) -> String? {
        let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        let text = object?["detail"] as? String ?? object?["title"] as? String
        return text.flatMap { $0.isEmpty ? nil : String($0.prefix(500)) }
    }
}
