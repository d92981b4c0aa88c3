public import Foundation
@_spi(Tooling) import TelemetryModels

/// What a relay says about itself in `GET /v1/server`.
public struct RelayDescription: Sendable, Equatable {
    public let name: String
    public let version: String
    /// The version of the relay's interface.
    public let api: Int
    /// The role of the token: `viewer`, `reader` or `host`.
    public let role: String
    /// By how many seconds the relay's clock is ahead of this machine's.
    public let clockSkew: TimeInterval?
    /// By how many seconds ``clockSkew`` may be wrong: half the duration of the request.
    public let clockSkewError: TimeInterval
    /// The relay's limits by name.
    public let limits: [String: Int]

    /// Nil for a body that is not a relay's.
    /// - Parameter request: When the request was sent, and for how long its answer was awaited.
    init?(_ body: Data, request: DateInterval) {
        guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any], let api = object["api"] as? Int,
            let version = object["version"] as? String
        else { return nil }
        name = object["name"] as? String ?? "telemetry-relay"
        self.version = version
        self.api = api
        role = object["role"] as? String ?? ""
        clockSkewError = request.duration / 2
        let middle = request.start.addingTimeInterval(clockSkewError)
        clockSkew = (object["time"] as? String).flatMap(TimestampText.date(from:)).map { $0.timeIntervalSince(middle) }
        limits = (object["limits"] as? [String: Any] ?? [:]).compactMapValues { $0 as? Int }
    }
}
