import Foundation

/// Checks a relay for problems, and suggests how to fix them.
public struct RelayExamination: Sendable {
    public typealias Finding = StoreExamination.Finding

    /// The accepted difference between two clocks in seconds, in addition to the error of the measurement.
    private static let clockTolerance: TimeInterval = 5

    private let location: RelayLocation

    public init(_ location: RelayLocation) { self.location = location }

    /// Checks the relay. If a finding is an error, the relay's store cannot be checked.
    public func findings() async -> [Finding] {
        let outcome = await RelayProbe(location).server()
        guard case .relay(let relay) = outcome else { return [Self.failure(outcome, of: location)] }
        return Self.findings(relay, of: location) + [Self.readiness(await RelayProbe(location).isReady())]
    }

    static func failure(_ outcome: RelayProbe.Outcome, of location: RelayLocation) -> Finding {
        switch outcome {
        case .relay(let relay): .init(.ok, "the relay answers: version \(relay.version)")
        case .unreachable(let reason):
            .init(
                .error, "the relay at \(location.url.absoluteString) cannot be reached: \(reason)",
                "check the URL, that the relay is running, and the network between")
        case .foreign(let status):
            .init(.error, location.foreign(status).message, "ask the relay's operator for its URL")
        case .refused(let detail):
            .init(
                .error, location.refused(detail).message,
                "the relay's operator creates a token: telemetry-relay token create --role viewer --name NAME")
        case .failing(let status, let detail):
            .init(
                .error, "the relay responded with status \(status)\(detail.map { ": \($0)" } ?? "")",
                "see the relay's log; try again later")
        }
    }

    static func findings(_ relay: RelayDescription, of location: RelayLocation) -> [Finding] {
        [version(relay), role(relay, of: location), clock(relay)] + encryption(of: location) + [limits(relay)]
    }

    private static func version(_ relay: RelayDescription) -> Finding {
        let text = "the relay answers: \(relay.name) \(relay.version), interface \(relay.api)"
        let versions = RelayProbe.versions
        guard !versions.contains(relay.api) else { return .init(.ok, text) }
        return .init(
            .error, "\(text), but this tool supports interfaces \(versions.lowerBound) to \(versions.upperBound)",
            relay.api > versions.upperBound ? "update this tool" : "update the relay")
    }

    private static func role(_ relay: RelayDescription, of location: RelayLocation) -> Finding {
        let token = location.token.map { "the token from \($0.source)" } ?? "a request without a token"
        let limit = relay.scope.map { ", limited to \($0.visible)" } ?? ""
        switch relay.role {
        case "viewer" where location.token == nil:
            return .init(.ok, "the relay has no tokens and is open to this machine")
        case "viewer": return .init(.ok, "\(token) has the role viewer\(limit)")
        case "reader":
            return .init(
                .warning, "\(token) has the role reader\(limit): commands that change something are refused",
                "if you need to change something, ask for a token with the role viewer")
        default:
            return .init(
                .error, "\(token) has the role \(relay.role), which is not a viewer's",
                "use a token with the role viewer or reader")
        }
    }

    private static func clock(_ relay: RelayDescription) -> Finding {
        guard let skew = relay.clockSkew else {
            return .init(.warning, "the relay does not report its time", "update the relay")
        }
        let difference = DurationText.string(seconds: abs(skew))
        guard abs(skew) - relay.clockSkewError > clockTolerance else {
            return .init(.ok, "the relay's clock and this machine's differ by \(difference)")
        }
        return .init(
            .warning, "the relay's clock is \(difference) \(skew > 0 ? "ahead of" : "behind") this machine's clock",
            "compare the clocks of the machines")
    }

    private static func encryption(of location: RelayLocation) -> [Finding] {
        guard location.exposesToken else { return [] }
        return [
            .init(
                .warning, "the token is sent over the network without encryption",
                "use an https URL; see the article Run a relay for TLS")
        ]
    }

    private static func limits(_ relay: RelayDescription) -> Finding {
        func number(_ name: String) -> String { relay.limits[name].map(\.grouped) ?? "unknown" }
        return .init(
            .ok,
            "limits: \(number("bodyBytes")) bytes a body, \(number("batchEvents")) events a batch, "
                + "\(number("saveRecords")) records a save, \(number("page")) events a page")
    }

    private static func readiness(_ isReady: Bool?) -> Finding {
        switch isReady {
        case true: .init(.ok, "the relay's storage is ready")
        case false: .init(.error, "the relay's storage is not ready", "see the relay's log")
        case nil: .init(.warning, "the relay did not report whether its storage is ready", "try again")
        }
    }
}
