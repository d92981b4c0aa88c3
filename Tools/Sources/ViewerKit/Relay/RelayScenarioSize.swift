public import Foundation
@_spi(Tooling) import TelemetryModels

/// How much a relay stores of a scenario, from `GET /v1/events/scenarios`.
public struct RelayScenarioSize: Sendable, Equatable {
    /// About the bytes that the events take in the relay's database.
    public let bytes: Int
    /// When the last event is deleted because of its age, unless another limit is reached before; nil if that cannot be said.
    public let lastExpires: Date?

    /// The size, such as `1.2 MB`.
    public var text: String {
        let units = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]
        guard let unit = units.first(where: { bytes >= $0.1 }) else { return "\(bytes) B" }
        return String(format: "%.1f \(unit.0)", Double(bytes) / Double(unit.1))
    }

    /// Returns nil if the body is not that of a relay. The key nil is for events without a scenario.
    static func all(_ body: Data) -> [String?: Self]? {
        let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        guard let scenarios = object?["scenarios"] as? [[String: Any]] else { return nil }
        var sizes: [String?: Self] = [:]
        for scenario in scenarios {
            guard let bytes = scenario["bytes"] as? Int else { return nil }
            let expiry = (scenario["lastExpires"] as? String).flatMap(TimestampText.date(from:))
            sizes[scenario["scenario"] as? String] = Self(bytes: bytes, lastExpires: expiry)
        }
        return sizes
    }
}
