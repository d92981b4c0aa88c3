public import Foundation
@_spi(Tooling) import TelemetryModels

/// A relay's description, from `GET /v1/server`.
public struct RelayDescription: Sendable, Equatable {
    public let name: String
    public let version: String
    /// The version of the relay's interface.
    public let api: Int
    /// The role of the token: `viewer`, `reader` or `host`.
    public let role: String
    /// What the token is limited to, such as `app=com.example.*`; nil if it is not.
    public let scope: String?
    /// The number of seconds by which the relay's clock is ahead of this machine's; nil if the relay reports no time.
    public let clockSkew: TimeInterval?
    /// The maximum error of ``clockSkew`` in seconds: half the duration of the request.
    public let clockSkewError: TimeInterval
    /// The relay's limits by name.
    public let limits: [String: Int]
    /// Nil if the relay does not report it.
    public let retention: RelayRetention?

    /// Returns nil if the body is not a relay's description.
    /// - Parameter request: The time from sending the request to receiving the response.
    init?(_ body: Data, request: DateInterval) {
        guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any], let api = object["api"] as? Int,
            let version = object["version"] as? String
        else { return nil }
        name = object["name"] as? String ?? "telemetry-relay"
        self.version = version
        self.api = api
        role = object["role"] as? String ?? ""
        scope = (object["scope"] as? [String: [String]])
            .map { lists in lists.sorted { $0.key < $1.key }.flatMap { list in list.value.map { "\(list.key)=\($0)" } } }
            .map { $0.joined(separator: " ") }
        clockSkewError = request.duration / 2
        let middle = request.start.addingTimeInterval(clockSkewError)
        clockSkew = (object["time"] as? String).flatMap(TimestampText.date(from:)).map { $0.timeIntervalSince(middle) }
        limits = (object["limits"] as? [String: Any] ?? [:]).compactMapValues { $0 as? Int }
        retention = RelayRetention(object)
    }
}
