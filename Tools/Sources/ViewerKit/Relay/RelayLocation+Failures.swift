import Foundation
import TelemetryTransport

extension RelayLocation {
    /// Converts an error of this relay. Requests the relay's description if the error alone is ambiguous.
    public func failure(describing error: any Error) async -> ToolFailure {
        guard let error = error as? TelemetryTransportError else { return ToolFailure(describing: error) }
        switch error.code {
        case .unauthorized, .unavailable, .notFound, .invalidArgument: break
        default: return ToolFailure(describing: error)
        }
        return Self.failure(error, probed: await RelayProbe(self).server(), of: self)
    }

    /// The relay's description.
    /// - Throws: ``ToolFailure`` with what can be done about it if the relay does not answer, or not to this token.
    public func description() async throws(ToolFailure) -> RelayDescription {
        switch await RelayProbe(self).server() {
        case .relay(let relay): return relay
        case .refused(let detail): throw refused(detail)
        case .failing(let status, let detail):
            throw ToolFailure(
                .unavailable,
                "The relay at \(url.absoluteString.visible) responded with status \(status)"
                    + "\(detail.map { ": \($0.visible.asSentence)" } ?? ".") Try again later.")
        case .foreign(let status): throw foreign(status)
        case .unreachable(let reason): throw unreachable(reason)
        }
    }

    static func failure(
        _ error: TelemetryTransportError, probed outcome: RelayProbe.Outcome, of location: Self
    ) -> ToolFailure {
        switch outcome {
        case .unreachable:
            // The transport's error distinguishes a certificate that is not trusted.
            guard error.code != .unauthorized else { return ToolFailure(.noPermission, error.message) }
            return ToolFailure(.unavailable, "\(error.message.asSentence) Check the URL, and that the relay is running.")
        case .foreign(let status): return location.foreign(status)
        case .refused(let detail): return location.refused(detail)
        case .failing: return ToolFailure(.unavailable, error.message)
        case .relay(let relay):
            guard error.code == .unauthorized else { return ToolFailure(plain: error) }
            switch relay.role {
            case "viewer": return ToolFailure(.noPermission, error.message)
            case "reader":
                return ToolFailure(
                    .noPermission,
                    "The \(location.tokenName) has the role reader, which may only read. This command requires a token with "
                        + "the role viewer.")
            default:
                return ToolFailure(
                    .noPermission,
                    "The \(location.tokenName) has the role \(relay.role.visible). Use a token with the role viewer.")
            }
        }
    }

    func unreachable(_ reason: String) -> ToolFailure {
        ToolFailure(
            .unavailable,
            "The relay at \(url.absoluteString.visible) cannot be reached: \(reason.visible.asSentence) Check the URL, and that the "
                + "relay is running.")
    }

    func foreign(_ status: Int) -> ToolFailure {
        ToolFailure(
            .unavailable,
            "\(url.absoluteString.visible) responded with status \(status), but is not a LiveTelemetry relay. Check the URL.")
    }

    func refused(_ detail: String?) -> ToolFailure {
        let reason = detail.map { " The relay's message: \($0.visible)" } ?? ""
        guard token != nil else {
            return ToolFailure(
                .noPermission,
                "The relay at \(url.absoluteString.visible) requires a token. Use --token-file FILE or set "
                    + "\(Self.tokenVariable).")
        }
        return ToolFailure(
            .noPermission,
            "The relay at \(url.absoluteString.visible) does not accept the \(tokenName): it is wrong, expired, revoked, a "
                + "host's, or an auditor's, which only telemetry audit uses.\(reason)")
    }

    /// The token and its source, without the token.
    var tokenName: String { token.map { "token from \($0.source.visible)" } ?? "request without a token" }
}

extension ToolFailure {
    /// Converts an error of a store that is not a directory.
    init(plain error: TelemetryTransportError) { self.init(Self.code(of: error.code), error.message) }
}

extension String {
    /// The text with a full stop at its end.
    fileprivate var asSentence: String { hasSuffix(".") ? self : "\(self)." }
}
